package config

// A Default is what is done where nothing else is said.
type Default struct {
	Key   string // of [policy], or of a target
	Value string // as it is written; empty: there is none
	Does  string // for a person
}

// Defaults are all of them, in the order in which they are shown. They are the
// lowest layer of every configuration, and the one place where they stand.
func Defaults() []Default {
	return []Default{
		{"cadence", "immediate", "`immediate`, `on_completion` or `digest`"},
		{"urgency", "normal", "`ambient` (silent), `normal` or `interrupt`"},
		{"unknown", "resend_marked", "where nothing says whether a message arrived: `resend_marked` or `park`"},
		{"max_parts", "20", "an answer of more messages than that is sent one a second at most"},
		{"digest", "09:00", "when what waits for a digest goes: a time of day, or a list of them"},
		{"quiet", "", "a span of the day, such as `22:00-07:00`: only interrupts, approvals, alerts and what is sent by hand go then"},
		{"timezone", "UTC", "of those times, such as `Europe/Berlin`"},
		{"template", "", "the id of a template; `none` for none"},
		{"json_appendix", "auto", "whether a card's JSON follows it: `auto` (where the card does not show all of it), `always` or `never`; where it does not fit one message it never does"},
		{"mentions", "off", "`live`: names may notify whom they name; `off`"},
	}
}

// defaults is the layer of them.
func defaults() *layer {
	policy := map[string]any{}
	for _, d := range Defaults() {
		if d.Value != "" {
			policy[d.Key] = d.Value
		}
	}
	return &layer{name: FromDefault, tree: map[string]any{"policy": policy}}
}
