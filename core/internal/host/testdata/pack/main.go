// Command pack is a skill pack that does wrong on demand: by its name while it
// starts and in what it answers, by the member "do" of a payload while it lowers.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// The real ones: serving replaces them.
var stdout, stderr = os.Stdout, os.Stderr

func main() {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	p := skill.Pack{ID: name, Version: "1.0.0", Types: []skill.Type{{
		Name: name + ".thing", Schema: json.RawMessage(`{"type":"object"}`), Lower: lower, Check: check,
	}}}
	if len(os.Args) > 1 && os.Args[1] == "skill" {
		switch name {
		case "liar", "impostor", "renderer", "blank":
			lie(name, p.Info())
			return
		case "exits":
			fmt.Fprintln(stderr, "no luck today")
			os.Exit(3)
		case "sleeps":
			time.Sleep(time.Hour)
		case "floods":
			for line := strings.Repeat("z", 1023) + "\n"; ; {
				if _, err := io.WriteString(stderr, line); err != nil {
					os.Exit(4)
				}
			}
		case "changed": // another than its manifest says
			p.Types[0].Name = "other.thing"
		}
	}
	skill.Serve(p)
}

// A wish is what a payload asks for.
type wish struct {
	Do   string `json:"do"`
	With string `json:"with"`
}

func text(s string) (card.Tree, error) { return card.Of(card.Text{Text: s}), nil }

func lower(ctx context.Context, in skill.Input) (card.Tree, error) {
	var w wish
	if err := json.Unmarshal(in.Payload, &w); err != nil {
		return card.Tree{}, err
	}
	switch w.Do {
	case "pid":
		return text(strconv.Itoa(os.Getpid()))
	case "env":
		return text(strings.Join(os.Environ(), "\n"))
	case "context":
		return text(in.Context.AsOf + " " + in.Locale)
	case "crash":
		fmt.Fprintln(stderr, "crashed on purpose")
		os.Exit(2)
	case "hang":
		select {}
	case "panic":
		panic("a word of the card: " + w.With)
	case "error":
		return card.Tree{}, errors.New("cannot do that")
	case "none":
		return card.Tree{}, nil
	case "huge":
		return text(strings.Repeat("x", 17<<20))
	case "flood":
		line := strings.Repeat("z", 1023) + "\n"
		for range 5 << 10 {
			io.WriteString(stderr, line)
		}
	case "reserve": // more memory than it can have
		return text(strconv.Itoa(len(make([]byte, 4<<30))))
	case "read":
		b, err := os.ReadFile(w.With)
		if err != nil {
			return text("refused: " + err.Error())
		}
		return text(string(b))
	case "write", "exec", "dial", "listen":
		if err := attempt(w.Do, w.With); err != nil {
			return text("refused: " + err.Error())
		}
		return text("done")
	case "mute":
		stdout.Close()
		stderr.Close()
	case "cut": // everything, its connections as well
		for fd := range 256 {
			os.NewFile(uintptr(fd), "").Close()
		}
	}
	return text("ok")
}

// attempt does what a sandbox should refuse.
func attempt(what, with string) error {
	network, address, _ := strings.Cut(with, " ")
	switch what {
	case "write":
		return os.WriteFile(with, nil, 0o600)
	case "exec":
		return exec.Command(with).Run()
	case "dial":
		c, err := net.DialTimeout(network, address, time.Second)
		if err == nil {
			c.Close()
		}
		return err
	}
	l, err := net.Listen(network, address)
	if err == nil {
		l.Close()
	}
	return err
}

func check(_ context.Context, in skill.Input) error {
	var w wish
	if err := json.Unmarshal(in.Payload, &w); err != nil {
		return err
	}
	switch w.Do {
	case "wrong":
		return &card.ProblemError{Kind: card.ErrInvalid, Path: "/with", Want: "expected something else"}
	case "crash":
		os.Exit(2)
	case "hang":
		select {}
	case "panic":
		panic("a word of the card: " + w.With)
	case "quote":
		return errors.New("not " + w.With)
	case "many":
		var all []error
		for range 1000 {
			all = append(all, &card.ProblemError{Kind: card.ErrInvalid, Path: "/with", Want: strings.Repeat("expected more ", 1000)})
		}
		return errors.Join(all...)
	}
	return nil
}
