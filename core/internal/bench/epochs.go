package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/internal/install"
	"github.com/seed-1ae66336/vak/sdk/skill"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// goalCall is what a call to a pack whose process runs may take, of ninety-nine in a
// hundred.
const goalCall = 2 * time.Millisecond

// manyPacks is the number of skills in the epoch that is published.
const manyPacks = 1000

// epochs measures calls to a skill pack, publishing, and the way from an installation to
// the first card.
func epochs(rounds int) error {
	dir, err := os.MkdirTemp("", "vak-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	pack, err := buildPack(filepath.Join(dir, "pack"))
	if err != nil {
		return err
	}
	fmt.Println("\nskill packs and epochs")
	if err := warmCalls(pack, rounds*200); err != nil {
		return err
	}
	if err := firstUse(dir, pack, rounds); err != nil {
		return err
	}
	return publishMany(dir, pack)
}

// buildPack builds the smallest of the examples into a folder.
func buildPack(folder string) (string, error) {
	binary := filepath.Join(folder, "mood")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "github.com/seed-1ae66336/vak/sdk/examples/minimal")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", err
	}
	manifest, err := exec.Command(binary, "manifest").Output()
	if err != nil {
		return "", err
	}
	return folder, os.WriteFile(filepath.Join(folder, "plugin.json"), manifest, 0o644)
}

const mood = `{"semantic_type":"acme.mood","payload":{"mood":"sunny"}}`

// warmCalls has one caller ask a pack over and over.
func warmCalls(folder string, times int) error {
	h, err := host.Open(host.Config{RuntimeDir: home.RuntimePath(host.LongestSocket), AllowUnsandboxed: true})
	if err != nil {
		return err
	}
	defer h.Close()
	if _, err := h.Sync(host.Places{Folders: []string{folder}}); err != nil {
		return err
	}
	key := h.Packs()[0].Key
	in := skill.Input{Type: "acme.mood", Payload: json.RawMessage(`{"mood":"sunny"}`)}
	call := func() error { _, err := h.Lower(context.Background(), key, in); return err }
	if err := call(); err != nil { // starts it
		return err
	}
	took := make([]time.Duration, times)
	for i := range took {
		start := time.Now()
		if err := call(); err != nil {
			return err
		}
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	p99 := took[len(took)*99/100]
	fmt.Printf("  a call to a pack that runs, one caller, %d times: median %v, p99 %v (goal %v)\n", times, median(took), p99.Round(time.Microsecond), goalCall)
	return nil
}

// firstUse is from a folder that somebody wants to install to the first card that
// the pack in it has lowered.
func firstUse(dir, pack string, rounds int) error {
	ctx := context.Background()
	var prepare, reload, card, whole []time.Duration
	for i := range rounds {
		at := filepath.Join(dir, fmt.Sprint("home", i))
		c, err := core.Open(ctx, core.Config{Home: at, NoControl: true, AllowUnsandboxed: true})
		if err != nil {
			return err
		}
		err = func() error {
			defer c.Close()
			store := install.New(at)
			start := time.Now()
			candidate, err := store.Prepare(pack)
			if err != nil {
				return err
			}
			defer candidate.Close()
			if _, err := store.Install(candidate, install.Consent{AllowUnverified: true}); err != nil {
				return err
			}
			installed := time.Now()
			if _, err := c.Reload(ctx); err != nil {
				return err
			}
			known := time.Now()
			p, err := c.Render(ctx, core.Draft{Markdown: mood}, surface.Target{Surface: "log"})
			if err != nil {
				return err
			}
			if len(p[0].Diagnostics) > 0 {
				return fmt.Errorf("the card was not lowered: %v", p[0].Diagnostics)
			}
			end := time.Now()
			prepare, reload = append(prepare, installed.Sub(start)), append(reload, known.Sub(installed))
			card, whole = append(card, end.Sub(known)), append(whole, end.Sub(start))
			return nil
		}()
		if err != nil {
			return err
		}
	}
	fmt.Printf("  from a folder to the first card, %d times, medians: %v (checked and installed %v, a new epoch %v, process and card %v)\n",
		rounds, median(whole), median(prepare), median(reload), median(card))
	return nil
}

// publishMany has a directory of a thousand packs be found, then one of them change.
func publishMany(dir, pack string) error {
	ctx := context.Background()
	plugins := filepath.Join(dir, "many")
	b, err := os.ReadFile(filepath.Join(pack, "plugin.json"))
	if err != nil {
		return err
	}
	var manifest map[string]any
	if err := json.Unmarshal(b, &manifest); err != nil {
		return err
	}
	write := func(i int, version string) error {
		id := fmt.Sprintf("acme-%04d", i)
		info := manifest["info"].(map[string]any)
		manifest["id"], manifest["version"], info["id"], info["version"] = id, version, id, version
		info["types"].([]any)[0].(map[string]any)["name"] = fmt.Sprintf("acme.n%d", i)
		b, err := json.Marshal(manifest)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(plugins, id, "plugin.json"), b, 0o644)
	}
	name := manifest["binary"].(string)
	for i := range manyPacks {
		folder := filepath.Join(plugins, fmt.Sprintf("acme-%04d", i))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := os.Link(filepath.Join(pack, name), filepath.Join(folder, name)); err != nil {
			return err
		}
		if err := write(i, "1.0.0"); err != nil {
			return err
		}
	}
	start := time.Now()
	c, err := core.Open(ctx, core.Config{Home: filepath.Join(dir, "home"), NoControl: true, Plugins: []string{plugins}, AllowUnsandboxed: true})
	if err != nil {
		return err
	}
	defer c.Close()
	opened := time.Since(start)
	first := c.Epoch()
	var again []time.Duration
	for i := range 11 {
		if err := write(i, fmt.Sprint("1.0.", i+1)); err != nil {
			return err
		}
		start = time.Now()
		e, err := c.Reload(ctx)
		if err != nil {
			return err
		}
		again = append(again, time.Since(start))
		if e.Number == first.Number {
			return fmt.Errorf("a changed pack made no new epoch")
		}
		first = e
	}
	start = time.Now()
	if _, err := c.Render(ctx, core.Draft{Markdown: "hello\n\n```vak\n" + mood + "\n```\n"}, surface.Target{Surface: "log"}); err != nil {
		return err
	}
	answer := time.Since(start)
	var nothing []time.Duration
	for range 11 {
		start = time.Now()
		if _, err := c.Reload(ctx); err != nil {
			return err
		}
		nothing = append(nothing, time.Since(start))
	}
	fmt.Printf("  %d skills: start with the first epoch %v, a new epoch after one has changed %v, a look when nothing has %v, the first answer with a card %v\n",
		manyPacks, opened.Round(time.Millisecond), median(again).Round(time.Millisecond), median(nothing).Round(time.Millisecond), answer.Round(time.Millisecond))
	return nil
}
