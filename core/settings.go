package core

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/lower"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Settings override parts of a surface's profile, and how cards are shown on it.
// The zero value changes nothing. Settings must not be changed once they are part of a [Config].
type Settings struct{ changes []change }

// A look is how answers look on a target: the profile of its surface, and what is
// core's own to decide.
type look struct {
	surface.Profile
	appendix lower.Appendix
	template string // id of the one that answers are put into; empty: none
	digest   string // of all of that, as an epoch keeps it
}

// A change sets one key.
type change struct {
	key string
	set func(*look)
}

// A Setting describes one key of [Settings].
type Setting struct {
	Key    string
	Values string // the allowed values, for a person
	Does   string // what it changes, in a few words
}

// Set changes key to value. Its error is of kind ErrSetting and names the keys
// or values that are allowed.
func (s *Settings) Set(key, value string) error {
	i := slices.IndexFunc(settingTable, func(k setting) bool { return k.Key == key })
	if i < 0 {
		keys := make([]string, len(settingTable))
		for i, k := range settingTable {
			keys[i] = k.Key
		}
		return &Error{Kind: ErrSetting, What: "unknown setting " + strconv.Quote(key), Mend: "use one of " + strings.Join(keys, ", ")}
	}
	set, ok := settingTable[i].parse(value)
	if !ok {
		return &Error{Kind: ErrSetting, What: key + " cannot be " + strconv.Quote(value), Mend: "use " + settingTable[i].Values}
	}
	s.changes = append(slices.Clip(s.changes), change{key, set})
	return nil
}

// SettingKeys lists what [Settings.Set] knows.
func SettingKeys() []Setting {
	out := make([]Setting, len(settingTable))
	for i, s := range settingTable {
		out[i] = s.Setting
	}
	return out
}

// apply returns p with the settings applied.
func (s Settings) apply(p look) look {
	for _, c := range s.changes {
		c.set(&p)
	}
	return p
}

// says reports whether the settings change key.
func (s Settings) says(key string) bool {
	return slices.ContainsFunc(s.changes, func(c change) bool { return c.key == key })
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
	parse func(string) (func(*look), bool)
	show  func(look) string // as it would be set
}

// settingTable is the one table of what can be set: the parser, the errors and the
// help read it.
var settingTable = []setting{
	{
		Setting{"max", "0 (no limit) or 64 to 100000", "size of one chunk"},
		number(surface.MinLimit, surface.MaxLimit, func(p *look, n int) { p.Limit.Max = n }),
		func(p look) string { return strconv.Itoa(p.Limit.Max) },
	},
	{
		Setting{"unit", "utf16, codepoint or byte", "what max counts"},
		word([]string{"utf16", "codepoint", "byte"}, func(p *look, v string) { p.Limit.Unit = surface.Unit(v) }),
		func(p look) string { return string(p.Limit.Unit) },
	},
	{
		Setting{"of", "visible or sent", "whether markup counts towards max"},
		word([]string{"visible", "sent"}, func(p *look, v string) { p.Limit.Of = surface.Measured(v) }),
		func(p look) string { return string(p.Limit.Of) },
	},
	{
		Setting{"max_bytes", "0 (no limit) or 256 to 10000000", "bytes of one chunk as sent"},
		number(256, 10_000_000, func(p *look, n int) { p.Limit.MaxBytes = n }),
		func(p look) string { return strconv.Itoa(p.Limit.MaxBytes) },
	},
	{
		Setting{"max_entities", "0 (no limit) or 1 to 100000", "pieces of markup in one chunk"},
		number(1, 100_000, func(p *look, n int) { p.Limit.MaxEntities = n }),
		func(p look) string { return strconv.Itoa(p.Limit.MaxEntities) },
	},
	{
		Setting{"links", "angle, masked or bare", "how a labelled link is written"},
		word([]string{"angle", "masked", "bare"}, func(p *look, v string) { p.Links = v }),
		func(p look) string { return p.Links },
	},
	{
		Setting{"tables", "grid or list", "aligned columns, or key: value lines"},
		word([]string{"grid", "list"}, func(p *look, v string) { p.Tables = v }),
		func(p look) string { return p.Tables },
	},
	{
		Setting{"grid", "0 (no grids) or 16 to 400", "widest aligned table in columns"},
		number(16, 400, func(p *look, n int) { p.Grid = n }),
		func(p look) string { return strconv.Itoa(p.Grid) },
	},
	{
		Setting{"mentions", "live or off", "whether @names may notify people"},
		word([]string{"live", "off"}, func(p *look, v string) {
			if p.Mentions = v; v == "off" {
				p.Mentions = ""
			}
		}),
		func(p look) string { return cmp.Or(p.Mentions, "off") },
	},
	{
		Setting{"json_appendix", "auto, always or never", "when the JSON of a card follows it"},
		word([]string{autoAppendix, string(lower.Always), string(lower.Never)}, func(p *look, v string) { p.appendix = appendixOf(v) }),
		func(p look) string { return cmp.Or(string(p.appendix), autoAppendix) },
	},
}

// autoAppendix is how a configuration writes lower.Auto.
const autoAppendix = "auto"

// appendixOf is what a word of a configuration says; empty says nothing.
func appendixOf(word string) lower.Appendix {
	if word == autoAppendix {
		return lower.Auto
	}
	return lower.Appendix(word)
}

func number(lo, hi int, set func(*look, int)) func(string) (func(*look), bool) {
	return func(v string) (func(*look), bool) {
		n, err := strconv.Atoi(v)
		if err != nil || n != 0 && (n < lo || n > hi) {
			return nil, false
		}
		return func(p *look) { set(p, n) }, true
	}
}

func word(allowed []string, set func(*look, string)) func(string) (func(*look), bool) {
	return func(v string) (func(*look), bool) {
		if !slices.Contains(allowed, v) {
			return nil, false
		}
		return func(p *look) { set(p, v) }, true
	}
}
