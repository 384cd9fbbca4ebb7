package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/config"
)

// setHelp is the list of what --set knows, made from core's own table.
func setHelp() string {
	var b strings.Builder
	for _, k := range core.SettingKeys() {
		fmt.Fprintf(&b, "  %-13s %s: %s\n", k.Key, k.Does, k.Values)
	}
	return b.String()
}

// overridden is what the values of --set come to.
type overridden struct {
	every core.Settings            // of all profiles
	one   map[string]core.Settings // of the profiles of surfaces, by id
	paths []string                 // of the configuration, as core takes them
}

// parseSet reads the values of --set: key=value pairs with commas between, each for
// every surface, for one as surface.key=value, or for a path of the configuration,
// as targets.ops.max=500. What stands between two commas without a = is part of the
// value before it: policy.digest=09:00,17:30.
func parseSet(values []string) (set overridden, err error) {
	set.one = map[string]core.Settings{}
	for _, value := range values {
		for _, pair := range pairs(value) {
			key, val, ok := strings.Cut(pair, "=")
			if !ok { // nor is it quoted: who knows what it is
				return set, usagef("--set has no value; write key=value, such as max=1000, telegram.max=1000 or targets.ops.urgency=ambient")
			}
			surface, name, scoped := strings.Cut(key, ".")
			if scoped && slices.Contains(config.Tables(), surface) {
				set.paths = append(set.paths, pair)
				continue
			}
			if !scoped {
				surface, name = "", key
			}
			s := set.every
			if scoped {
				s = set.one[surface]
			}
			if err := s.Set(name, val); err != nil {
				return set, setError(key, err)
			}
			if scoped {
				set.one[surface] = s
			} else {
				set.every = s
			}
		}
	}
	return set, nil
}

// pairs parts a value of --set.
func pairs(value string) []string {
	var out []string
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.TrimSpace(part); len(out) > 0 && !strings.Contains(part, "=") {
			out[len(out)-1] += "," + part
			continue
		}
		out = append(out, part)
	}
	return out
}

// setError is about a setting of a profile. The value is quoted where the key is
// known only: it is a setting then, and no secret.
func setError(key string, err error) error {
	if e, ok := errors.AsType[*core.Error](err); ok {
		return usagef("--set %s: %s; %s", quoted(key), e.What, e.Mend)
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
