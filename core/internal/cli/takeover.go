package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/home"
)

// reloadTime is how long the process that holds the home may take over what has
// changed before it counts as one that cannot be asked.
const reloadTime = 15 * time.Second

// A change is what was done to the plugins of a home, on disk.
type change struct {
	what  string   // in a line
	id    string   // of the plugin; empty: not known
	ended []string // hashes of which nothing may run any more; none: what runs may
}

// changed tells what was done, has the process that holds the home take it over, and
// says from when on it counts. It fails where that is not known and has to be, and
// where that process cannot use what it found.
func (a *app) changed(ctx context.Context, c change) error {
	if _, err := fmt.Fprintln(a.out, c.what); err != nil {
		return err
	}
	dir, err := home.Dir(a.home)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, reloadTime)
	defer cancel()
	client, holder, held, err := control.Find(dir)
	if err == nil && held {
		var e control.Epoch
		if e, err = client.Reload(ctx); err == nil || errors.Is(err, control.Failed) {
			return a.tookOver(ctx, c, client, holder, e, err)
		}
		if gone(err) || cutOff(err) { // one that ends needs to be asked nothing
			if _, still, again := home.Find(dir); again == nil {
				held = still
			}
		}
	}
	switch {
	case !held && len(c.ended) > 0:
		return a.say("No process holds the home, so none of its processes runs; none is started any more.")
	case !held:
		return a.say("It counts from the next start of vak: no process holds the home.")
	}
	name, cause := visible(holder.String()), ""
	if err != nil {
		cause = ": " + oneLine(err.Error())
	}
	if len(c.ended) > 0 {
		return &problem{exitHome, fmt.Sprintf("it is revoked, but %s, which holds the home, could not be asked whether its processes have ended%s; it looks by itself within two seconds, and \"vak plugin list\" tells", name, cause)}
	}
	return a.say(fmt.Sprintf("%s, which holds the home, could not be asked: it looks by itself within two seconds.", capital(name)))
}

// tookOver says what the process that holds the home has made of a change. failed is
// what it could not use, of whatever it found.
func (a *app) tookOver(ctx context.Context, c change, client *control.Client, holder home.Holder, e control.Epoch, failed error) error {
	plugins, unknown := client.Plugins(ctx)
	name := visible(holder.String())
	switch {
	case len(c.ended) > 0 && unknown != nil:
		return &problem{exitHome, fmt.Sprintf("it is revoked, but %s does not say whether its processes have ended: %s; \"vak plugin list\" tells", name, oneLine(unknown.Error()))}
	case len(c.ended) > 0:
		if left := running(plugins, c.ended); len(left) > 0 {
			return &problem{exitHome, fmt.Sprintf("it is revoked, but %s has not ended its processes %s; end that process, or see \"vak plugin list\"", name, strings.Join(left, ", "))}
		}
	}
	if failed != nil {
		return &problem{exitInput, fmt.Sprintf("that is done, but %s cannot use all that it finds: %s", name, told(failed))}
	}
	since := ""
	if e.Number > 0 {
		since = fmt.Sprintf(" (epoch %d)", e.Number)
	}
	if len(c.ended) > 0 {
		return a.say("It is stopped: its processes are ended, and turns that hold it do without it" + since + ".")
	}
	line := "It counts from the next turn on" + since
	if turns := holding(plugins, c.id); len(turns) > 0 {
		line += "; what was before is held by " + heldBy(turns)
	}
	return a.say(line + ".")
}

func (a *app) say(line string) error {
	_, err := fmt.Fprintln(a.out, line)
	return err
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// running are the processes of plugins with one of hashes: of the binary, or of the
// contents, which name a folder of the store.
func running(plugins []control.Plugin, hashes []string) (pids []string) {
	for _, p := range plugins {
		if p.PID != 0 && (slices.Contains(hashes, p.SHA256) || slices.Contains(hashes, folderOf(p))) {
			pids = append(pids, strconv.Itoa(p.PID))
		}
	}
	return pids
}

// folderOf is the name of the folder that a plugin was found in; empty: in none.
func folderOf(p control.Plugin) string {
	if p.Path == "" {
		return ""
	}
	return filepath.Base(filepath.Dir(p.Path))
}

// holding are the turns that go by a version of a plugin which is current no more.
func holding(plugins []control.Plugin, id string) (turns []string) {
	for _, p := range plugins {
		if p.ID == id && !p.Current {
			turns = append(turns, p.Turns...)
		}
	}
	slices.Sort(turns)
	return slices.Compact(turns)
}

// maxTurns bounds how many turns a line names.
const maxTurns = 8

// heldBy names turns.
func heldBy(turns []string) string {
	text := "turn " + visible(strings.Join(turns[:min(len(turns), maxTurns)], ", "))
	if more := len(turns) - maxTurns; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
