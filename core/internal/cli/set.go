package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/core"
)

// setHelp is the list of what --set knows, made from core's own table.
func setHelp() string {
	var b strings.Builder
	for _, k := range core.SettingKeys() {
		fmt.Fprintf(&b, "  %-13s %s: %s\n", k.Key, k.Does, k.Values)
	}
	return b.String()
}

// parseSet reads the values of --set: key=value pairs with commas between,
// each for every surface, or for one as surface.key=value.
func parseSet(values []string) (every core.Settings, one map[string]core.Settings, err error) {
	one = map[string]core.Settings{}
	for _, value := range values {
		for pair := range strings.SplitSeq(value, ",") {
			key, val, ok := strings.Cut(strings.TrimSpace(pair), "=")
			if !ok {
				return every, nil, usagef("--set %s has no value; write key=value, such as max=1000 or telegram.max=1000", quoted(pair))
			}
			surface, name, scoped := strings.Cut(key, ".")
			if !scoped {
				surface, name = "", key
			}
			s := every
			if scoped {
				s = one[surface]
			}
			if err := s.Set(name, val); err != nil {
				return every, nil, setError(pair, err)
			}
			if scoped {
				one[surface] = s
			} else {
				every = s
			}
		}
	}
	return every, one, nil
}

func setError(pair string, err error) error {
	if e, ok := errors.AsType[*core.Error](err); ok {
		return usagef("--set %s: %s; %s", quoted(pair), e.What, e.Mend)
	}
	return err
}

// choose turns the values of --surface into surface ids, in the order given,
// each once. "all" stands for all there are.
func choose(c *core.Core, values []string) ([]core.Surface, error) {
	var out []core.Surface
	add := func(s core.Surface) {
		if !slices.ContainsFunc(out, func(o core.Surface) bool { return o.ID == s.ID }) {
			out = append(out, s)
		}
	}
	for _, value := range values {
		for id := range strings.SplitSeq(value, ",") {
			switch id = strings.TrimSpace(id); id {
			case "":
			case "all":
				for _, s := range c.Surfaces() {
					add(s)
				}
			default:
				s, err := c.Surface(id)
				if err != nil {
					return nil, err
				}
				add(s)
			}
		}
	}
	if len(out) == 0 {
		return nil, usagef("--surface names no surface; use all, or some of %s", strings.Join(ids(c.Surfaces()), ", "))
	}
	return out, nil
}

func ids(surfaces []core.Surface) []string {
	out := make([]string, len(surfaces))
	for i, s := range surfaces {
		out[i] = s.ID
	}
	return out
}
