package sdktest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// PackConformance holds p to the rules of [skill.Type], each type with its example
// and with hostile payloads that are made of it: texts, numbers, lists and members
// replaced, left out, or many more.
//
//  1. The type has a schema that can be compiled and refers to nothing outside, and
//     an example that the schema takes and its Check finds nothing wrong with.
//  2. The example is lowered to something to read.
//  3. Whatever payload the schema takes and the Check finds nothing wrong with is
//     lowered, up to the longest texts and lists that the schema takes. What the
//     schema refuses is not asked about: a host does not, either.
//  4. The same input gives the same tree, whatever else is lowered meanwhile.
//  5. A problem that Check finds names a place and quotes no text of the payload.
//  6. A context that has ended ends Lower soon.
//  7. No goroutine is left.
func PackConformance(t *testing.T, p skill.Pack) {
	r := Pack(t, p)
	before := runtime.NumGoroutine()
	for _, typ := range p.Types {
		t.Run(typ.Name, func(t *testing.T) {
			for _, err := range r.conform(typ, 10*patience) {
				t.Error(err)
			}
		})
	}
	if n := settle(before); n > before {
		t.Errorf("%d goroutines before, %d after", before, n)
	}
}

// errHangs is returned for a call of the author's code that does not end.
var errHangs = errors.New("it does not end")

// conform reports what breaks a rule. A call may take limit.
func (r *PackRunner) conform(typ skill.Type, limit time.Duration) []error {
	schema, err := compileSchema(typ.Schema)
	if err != nil {
		return []error{fmt.Errorf("the schema: %w", err)}
	}
	if len(typ.Example) == 0 {
		return []error{errors.New("there is no example; give the type a payload that shows what it is for")}
	}
	example, err := decodePayload(typ.Example)
	if err != nil {
		return []error{fmt.Errorf("the example: %w", err)}
	}
	if err := schema.Validate(example); err != nil {
		return []error{fmt.Errorf("the schema does not take the example: %w", err)}
	}
	in := skill.Input{Type: typ.Name, Payload: typ.Example}
	tree, found, err := r.ask(in, limit)
	switch {
	case err != nil:
		return []error{fmt.Errorf("the example: %w", err)}
	case len(found) > 0:
		return []error{fmt.Errorf("the example: Check finds a problem: %w", found[0])}
	case !slices.ContainsFunc(tree.Blocks("1", card.Options{}).Blocks, doc.Shows):
		return []error{errors.New("the example is lowered to nothing to read")}
	}
	broken := r.lowerAtOnce(in, tree, limit)
	if err := lowerEnded(typ, in, limit); err != nil {
		broken = append(broken, err)
	}
	takes := func(payload any) bool { return schema.Validate(payload) == nil }
	for h := range hostilePayloads(example, takes) {
		if !takes(h.payload) {
			continue
		}
		b, err := json.Marshal(h.payload)
		if err != nil || len(b) > card.MaxPayload {
			continue
		}
		_, found, err := r.ask(skill.Input{Type: typ.Name, Payload: b}, limit)
		if err != nil {
			broken = append(broken, fmt.Errorf("%s: %w\npayload: %s", h.what, err, clip(string(b))))
		}
		for _, p := range found {
			if strings.Contains(p.Error(), h.word) {
				broken = append(broken, fmt.Errorf("%s: the problem at %s quotes the payload, and would put it into logs", h.what, clip(p.Path)))
			}
		}
		if len(broken) >= 10 || errors.Is(err, errHangs) {
			break
		}
	}
	return broken
}

// ask does what a host does with a card: it has it checked, and lowered if nothing
// was found; that twice.
func (r *PackRunner) ask(in skill.Input, limit time.Duration) (card.Tree, []*card.ProblemError, error) {
	type answer struct {
		tree  card.Tree
		found []*card.ProblemError
		err   error
	}
	a, err := within(limit, func() (a answer) {
		ctx := context.Background()
		if a.found, a.err = r.CheckCard(ctx, in); a.err != nil || len(a.found) > 0 {
			return a
		}
		if a.tree, a.err = r.Lower(ctx, in); a.err != nil {
			return a
		}
		again, err := r.Lower(ctx, in)
		if err != nil {
			a.err = err
		} else if !sameTree(a.tree, again) {
			a.err = errors.New("the same input gave two different trees")
		}
		return a
	})
	if err == nil {
		err = a.err
	}
	return a.tree, a.found, err
}

// lowerAtOnce lowers one card many times at once.
func (r *PackRunner) lowerAtOnce(in skill.Input, want card.Tree, limit time.Duration) []error {
	broken := make([]error, 8) // of which the first says enough
	_, err := within(limit, func() struct{} {
		var wg sync.WaitGroup
		for i := range broken {
			wg.Go(func() {
				for range 4 {
					got, err := r.Lower(context.Background(), in)
					if err == nil && !sameTree(got, want) {
						err = errors.New("a tree differs when several are made at once")
					}
					if err != nil {
						broken[i] = err
						return
					}
				}
			})
		}
		wg.Wait()
		return struct{}{}
	})
	if err != nil { // they may be written still
		return []error{fmt.Errorf("lowering at once: %w", err)}
	}
	for _, err := range broken {
		if err != nil {
			return []error{err}
		}
	}
	return nil
}

// lowerEnded lowers under a context that has ended. The wire would not get that far.
func lowerEnded(typ skill.Type, in skill.Input, limit time.Duration) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	failed, err := within(limit, func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v", v)
			}
		}()
		_, err = typ.Lower(ctx, in)
		return err
	})
	if err == nil && failed != nil && !errors.Is(failed, context.Canceled) {
		err = fmt.Errorf("it failed with %v, want %v", failed, context.Canceled)
	}
	if err != nil {
		return fmt.Errorf("lowering under a context that had ended: %w", err)
	}
	return nil
}

// within calls f, and gives up on it after limit.
func within[T any](limit time.Duration, f func() T) (T, error) {
	done := make(chan T, 1)
	go func() { done <- f() }()
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case v := <-done:
		return v, nil
	case <-late.C:
		var none T
		return none, errHangs
	}
}

func sameTree(a, b card.Tree) bool {
	x, errX := a.Append(nil)
	y, errY := b.Append(nil)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// compileSchema compiles a schema as a host does.
func compileSchema(text json.RawMessage) (s *jsonschema.Schema, err error) {
	defer func() { // the library takes it for granted that patterns compile
		if v := recover(); v != nil {
			s, err = nil, errors.New("it cannot be compiled; look at its patterns")
		}
	}()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.LoadURL = func(string) (io.ReadCloser, error) {
		return nil, errors.New("a schema refers to nothing outside of itself")
	}
	const name = "vak:schema"
	if err := c.AddResource(name, bytes.NewReader(text)); err != nil {
		return nil, err
	}
	return c.Compile(name)
}

// decodePayload reads a payload with its numbers as they were written.
func decodePayload(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}
