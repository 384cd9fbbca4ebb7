package core

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestInProcess is a program that brings a surface of its own.
func TestInProcess(t *testing.T) {
	script := sdktest.NewTransportScript()
	c, err := Open(t.Context(), Config{
		Home: filepath.Join(t.TempDir(), "home"), NoControl: true,
		InProcess: []surface.Plugin{script.Plugin("mine", 100), script.Plugin("log", 100)}, // the second comes too late
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	packets, err := c.Render(t.Context(), Draft{Markdown: "*hello*"}, targets("mine")...)
	if err != nil || len(packets) != 1 || packets[0].Chunks[0].Text != "hello" || packets[0].Renderer.ID != "mine" {
		t.Errorf("Render = %+v, %v", packets, err)
	}
	if !c.host.HasTransport("mine") || !c.host.HasTransport("log") {
		t.Error("they do not send")
	}
	r := surface.SendRequest{Target: surface.Target{Address: "a"}, Chunk: surface.Chunk{Text: "x", Plain: "x"}}
	if _, err := c.host.Send(t.Context(), "mine", surface.Account{}, r); err != nil || len(script.Sent()) != 1 {
		t.Errorf("%v, sent %v", err, script.Sent())
	}
	if _, err := c.host.Send(t.Context(), "log", surface.Account{}, r); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(filepath.Join(c.Home(), "log", "a.log")); err != nil || string(b) != "x\n" {
		t.Errorf("the log holds %q, %v", b, err)
	}
	var got []string
	for _, p := range (backend{c}).Plugins() {
		got = append(got, p.ID+" "+p.Role+" "+string(p.State))
		if p.State == control.Builtin && len(p.Profiles) != 1 {
			t.Errorf("%+v", p)
		}
	}
	if want := []string{"log render builtin", "log render broken", "mine render builtin"}; !slices.Equal(got, want) {
		t.Errorf("plugins %v, want %v", got, want)
	}
}

// TestReadOnlyWritesNoLog: what holds no home has no place for one.
func TestReadOnlyWritesNoLog(t *testing.T) {
	c := open(t, Config{Home: filepath.Join(t.TempDir(), "home")})
	_, err := c.host.Send(t.Context(), "log", surface.Account{}, surface.SendRequest{Target: surface.Target{Address: "a"}, Chunk: surface.Chunk{Plain: "x"}})
	if d, ok := errors.AsType[*surface.DeliveryError](err); !ok || d.Code != host.CodeNoTransport || c.host.HasTransport("log") {
		t.Errorf("err = %v", err)
	}
}
