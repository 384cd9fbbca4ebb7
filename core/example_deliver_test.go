package core_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// An agent keeps what it was asked, works, and completes the turn with its
// answer. Once Complete returns, the answer is on disk with a job for every
// target; a crash from then on delays it and loses nothing.
func ExampleTurn_Complete() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	c, err := core.Open(ctx, core.Config{Home: home, NoControl: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	session, err := c.Session(ctx, "support-42")
	if err != nil {
		fmt.Println(err)
		return
	}
	// The key stands for the question: a supervisor that runs the agent again
	// after a crash gets the same turn, and its answer is delivered once.
	turn, err := session.Begin(ctx, core.TurnOptions{Key: "update-1001"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := turn.Append(ctx, &ledger.Message{Role: ledger.User, Markdown: "Is the migration done?"}); err != nil {
		fmt.Println(err)
		return
	}
	done, err := turn.Complete(ctx, core.Draft{Markdown: "It is **done**."}, core.Delivery{Target: "log:answers"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("entry", done.Entry, "job", done.Jobs[0])

	for { // a program has no need to wait; an example has
		j, err := c.Job(ctx, done.Jobs[0])
		if err != nil {
			fmt.Println(err)
			return
		}
		if !j.State.Live() {
			fmt.Println(j.State)
			break
		}
		time.Sleep(time.Millisecond)
	}
	text, err := os.ReadFile(filepath.Join(home, "log", "answers.log"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(text))
	// Output:
	// entry support-42/3 job support-42/1:1:log:answers
	// delivered
	// It is done.
}

// An id of the caller's own makes a notice idempotent: it is accepted once,
// however often it is submitted.
func ExampleCore_Deliver() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	// NoDelivery keeps the jobs for the next process that holds the home.
	c, err := core.Open(ctx, core.Config{Home: home, NoControl: true, NoDelivery: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	disk := core.Draft{Markdown: "The disk is at 91 %.", Alert: &core.Alert{Severity: core.Warning}}
	for range 2 {
		if _, err := c.Deliver(ctx, disk, core.Delivery{Target: "log:ops", ID: "disk-2026-11-30"}); err != nil {
			fmt.Println(err)
			return
		}
	}
	for j, err := range c.Jobs(ctx, core.JobFilter{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(j.ID, j.Kind, j.State)
	}
	// Output: disk-2026-11-30 alert pending
}
