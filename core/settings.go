package core

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Settings override parts of a surface's profile. The zero value changes
// nothing. Settings must not be changed once they are part of a [Config].
type Settings struct{ changes []func(*surface.Profile) }

// A Setting describes one key of [Settings].
type Setting struct {
	Key    string
	Values string // the allowed values, for a person
	Does   string // what it changes, in a few words
}

// Set changes key to value. Its error is of kind ErrSetting and names the keys
// or values that are allowed.
func (s *Settings) Set(key, value string) error {
	i := slices.IndexFunc(settings, func(k setting) bool { return k.Key == key })
	if i < 0 {
		keys := make([]string, len(settings))
		for i, k := range settings {
			keys[i] = k.Key
		}
		return &Error{Kind: ErrSetting, What: "unknown setting " + strconv.Quote(key), Mend: "use one of " + strings.Join(keys, ", ")}
	}
	change, ok := settings[i].parse(value)
	if !ok {
		return &Error{Kind: ErrSetting, What: key + " cannot be " + strconv.Quote(value), Mend: "use " + settings[i].Values}
	}
	s.changes = append(slices.Clip(s.changes), change)
	return nil
}

// SettingKeys lists what [Settings.Set] knows.
func SettingKeys() []Setting {
	out := make([]Setting, len(settings))
	for i, s := range settings {
		out[i] = s.Setting
	}
	return out
}

// apply returns p with the settings applied.
func (s Settings) apply(p surface.Profile) surface.Profile {
	for _, change := range s.changes {
		change(&p)
	}
	return p
}

// clamped holds the limit that a plugin declares within what core is willing to
// cut to, and says what its empty fields mean. A limit below zero can only be a
// mistake, so the careful reading wins.
func clamped(p surface.Profile) surface.Profile {
	l := &p.Limit
	if l.Max != 0 {
		l.Max = min(max(l.Max, surface.MinLimit), surface.MaxLimit)
	}
	if l.Unit == "" {
		l.Unit = surface.Codepoint
	}
	if l.Of == "" {
		l.Of = surface.Sent
	}
	return p
}

type setting struct {
	Setting
	parse func(string) (func(*surface.Profile), bool)
}

// settings is the one table of what can be set: the parser, the errors and the
// help read it.
var settings = []setting{
	{
		Setting{"max", "0 (no limit) or 64 to 100000", "size of one chunk"},
		number(surface.MinLimit, surface.MaxLimit, func(p *surface.Profile, n int) { p.Limit.Max = n }),
	},
	{
		Setting{"unit", "utf16, codepoint or byte", "what max counts"},
		word([]string{"utf16", "codepoint", "byte"}, func(p *surface.Profile, v string) { p.Limit.Unit = surface.Unit(v) }),
	},
	{
		Setting{"of", "visible or sent", "whether markup counts towards max"},
		word([]string{"visible", "sent"}, func(p *surface.Profile, v string) { p.Limit.Of = surface.Measured(v) }),
	},
	{
		Setting{"max_bytes", "0 (no limit) or 256 to 10000000", "bytes of one chunk as sent"},
		number(256, 10_000_000, func(p *surface.Profile, n int) { p.Limit.MaxBytes = n }),
	},
	{
		Setting{"max_entities", "0 (no limit) or 1 to 100000", "pieces of markup in one chunk"},
		number(1, 100_000, func(p *surface.Profile, n int) { p.Limit.MaxEntities = n }),
	},
	{
		Setting{"links", "angle, masked or bare", "how a labelled link is written"},
		word([]string{"angle", "masked", "bare"}, func(p *surface.Profile, v string) { p.Links = v }),
	},
	{
		Setting{"tables", "grid or list", "aligned columns, or key: value lines"},
		word([]string{"grid", "list"}, func(p *surface.Profile, v string) { p.Tables = v }),
	},
	{
		Setting{"grid", "0 (no grids) or 16 to 400", "widest aligned table in columns"},
		number(16, 400, func(p *surface.Profile, n int) { p.Grid = n }),
	},
	{
		Setting{"mentions", "live or off", "whether @names may notify people"},
		word([]string{"live", "off"}, func(p *surface.Profile, v string) {
			if p.Mentions = v; v == "off" {
				p.Mentions = ""
			}
		}),
	},
}

func number(lo, hi int, set func(*surface.Profile, int)) func(string) (func(*surface.Profile), bool) {
	return func(v string) (func(*surface.Profile), bool) {
		n, err := strconv.Atoi(v)
		if err != nil || n != 0 && (n < lo || n > hi) {
			return nil, false
		}
		return func(p *surface.Profile) { set(p, n) }, true
	}
}

func word(allowed []string, set func(*surface.Profile, string)) func(string) (func(*surface.Profile), bool) {
	return func(v string) (func(*surface.Profile), bool) {
		if !slices.Contains(allowed, v) {
			return nil, false
		}
		return func(p *surface.Profile) { set(p, v) }, true
	}
}
