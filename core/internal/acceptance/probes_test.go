package acceptance

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// The probes are what an audit of an earlier system of this kind found wrong,
// after all of its own tests had passed.

// probe renders markdown on every surface, by rules and then by look.
func probe(t *testing.T, markdown string, look map[string]func(s *shown)) {
	t.Helper()
	for _, s := range render(t, vak(t), markdown, surfaces...) {
		rules(t, s)
		if f := look[s.on]; f != nil {
			f(s)
		}
		if f := look["all"]; f != nil {
			f(s)
		}
	}
}

// The chunker put a line longer than the cap into one chunk, and forgot what a
// fence takes when it is opened again.
func TestProbeLinesLongerThanAChunk(t *testing.T) {
	for _, n := range []int{1899, 1900, 1901, 2001, 5000, 12_000} {
		line := strings.Repeat("x", n)
		for _, md := range []string{line, "```python\n" + line + "\n```", "> " + line, "- " + line, "**" + line + "**", "# " + line, "`" + line + "`", "| a |\n|---|\n| " + line + " |"} {
			probe(t, md, map[string]func(*shown){"all": func(s *shown) {
				if got := strings.Count(s.joined.text(), "x"); got != n {
					t.Errorf("%s shows %d of %d characters of %.12q", s.on, got, n, md)
				}
			}})
		}
	}
}

// Headings were put into capitals, with the addresses, tags and code in them.
func TestProbeHeadingsKeepTheirLetters(t *testing.T) {
	for level := 1; level <= 6; level++ {
		md := strings.Repeat("#", level) + " Straße to <T> at https://example.com/CasE?a=b&c=d with `makeAll` and [Label](https://example.com/Qq) &amp; ß"
		probe(t, md, map[string]func(*shown){"all": func(s *shown) {
			for _, want := range []string{"Straße to <T> at https://example.com/CasE?a=b&c=d with makeAll and Label", "& ß"} {
				checks["shows"](t, s, []string{want})
			}
			checks["target"](t, s, []string{"https://example.com/CasE?a=b&c=d", "https://example.com/Qq"})
		}})
	}
}

// An entity was cut in two at the border of a chunk.
func TestProbeNoEntityIsCut(t *testing.T) {
	for shift := range 12 {
		md := strings.Repeat("x", shift) + strings.Repeat("&", 6000)
		probe(t, md, map[string]func(*shown){"all": func(s *shown) { checks["text"](t, s, []string{md}) }})
		spaced := strings.Repeat("x", shift) + strings.Repeat(" <&>\"", 1500)
		probe(t, spaced, map[string]func(*shown){"all": func(s *shown) { checks["text"](t, s, []string{spaced}) }})
	}
}

// Code spans were escaped twice, and the plain form kept entities and lost the
// targets of links.
func TestProbeEscapedOnceAndPlainIsPlain(t *testing.T) {
	md := "`a < b && c` & <d> [label](https://example.com/?x=1&y=2) **bold** \\*star\\*\n\n```\nif a < b && \"c\" {}\n```"
	probe(t, md, map[string]func(*shown){"all": func(s *shown) {
		checks["shows"](t, s, []string{"a < b && c", "& <d> label", "*star*", `if a < b && "c" {}`})
		plain := s.chunks[0].Plain
		for _, want := range []string{"a < b && c & <d> label (https://example.com/?x=1&y=2) bold *star*", `if a < b && "c" {}`} {
			if !strings.Contains(plain, want) {
				t.Errorf("%s: the plain form lacks %q: %q", s.on, want, plain)
			}
		}
		if m := regexp.MustCompile("&(?:amp|lt|gt|quot|#)|</|\\*\\*|`").FindString(plain); m != "" {
			t.Errorf("%s: the plain form holds the markup %q: %q", s.on, m, plain)
		}
	}})
}

// Headings became literal HTML on Discord, and links in code were rewritten.
func TestProbeDiscordKeepsItsOwnMarkdown(t *testing.T) {
	md := "# One\n\n## Two\n\n### Three\n\n#### Four\n\n`[l](https://example.com)` and [l](https://example.com)"
	probe(t, md, map[string]func(*shown){"discord": func(s *shown) {
		checks["raw"](t, s, []string{"# One\n", "\n## Two\n", "\n### Three\n", "**Four**", "`[l](https://example.com)`"})
		checks["noraw"](t, s, []string{"<h1", "<h2", "<b>", "####"})
		checks["code"](t, s, []string{"[l](https://example.com)"})
		checks["label"](t, s, []string{"l", "https://example.com"})
	}})
}

// "##" and deeper stayed raw on Slack.
func TestProbeSlackShowsEveryHeading(t *testing.T) {
	var md []string
	for level := 1; level <= 6; level++ {
		md = append(md, fmt.Sprintf("%s Level %d", strings.Repeat("#", level), level))
	}
	probe(t, strings.Join(md, "\n\n"), map[string]func(*shown){"slack": func(s *shown) {
		checks["bold"](t, s, []string{"Level 1", "Level 2", "Level 3", "Level 4", "Level 5", "Level 6"})
		checks["hides"](t, s, []string{"#"})
	}})
}

// An image left a stray exclamation mark, and an address ended at its first
// closing parenthesis.
func TestProbeImagesAndParentheses(t *testing.T) {
	md := "![alt text](https://example.com/a_(b).png)\n\nx ![in line](https://example.com/c.png) [wiki](https://example.com/w_(x)_(y))"
	probe(t, md, map[string]func(*shown){"all": func(s *shown) {
		checks["hides"](t, s, []string{"!"})
		checks["shows"](t, s, []string{"alt text", "in line", "wiki"})
		checks["target"](t, s, []string{"https://example.com/a_(b).png", "https://example.com/c.png", "https://example.com/w_(x)_(y)"})
	}})
}

// Width was counted in characters, so that grids with CJK and emoji were askew.
func TestProbeGridsAreAligned(t *testing.T) {
	md := "| name | n |\n|---|--:|\n| 日本語 | 1 |\n| 🚀 | 22 |\n| e\u0301 | 333 |\n"
	want := []string{"name   │   n", "───────┼────", "日本語 │   1", "🚀     │  22", "e\u0301      │ 333"}
	look := func(s *shown) {
		if got := strings.Join(s.joined.styled(pre), "\n"); got != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s", s.on, got)
		}
	}
	probe(t, md, map[string]func(*shown){"telegram": look, "slack": look, "discord": look})
}

// A card came out as raw JSON, and a fact of an answer only where a client does
// not show it. Whatever a card says is shown once, in each form, to be read.
func TestProbeNoFactIsHidden(t *testing.T) {
	md := "Facts:\n\n- load: 0.93\n- region: eu-west-1\n\n```vak\n{\"semantic_type\":\"metric\",\"payload\":{\"label\":\"p95\",\"value\":\"180 ms\"}}\n```\n\nEnd."
	probe(t, md, map[string]func(*shown){"all": func(s *shown) {
		text := s.joined.text()
		for _, fact := range []string{"0.93", "eu-west-1", "180 ms", "End."} {
			if strings.Count(text, fact) != 1 || strings.Count(s.chunks[0].Plain, fact) != 1 {
				t.Errorf("%s: %q is not shown once in each form: %q", s.on, fact, text)
			}
		}
		if strings.Contains(text, "{") || !strings.Contains(text, "p95: 180 ms") {
			t.Errorf("%s shows the card as JSON: %q", s.on, text)
		}
	}})
}

// The coverage of every block said that it was rendered, whatever became of it.
func TestProbeCoverageIsTrue(t *testing.T) {
	md := "text\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![c](https://example.com/c.png)\n\n<!-- gone -->\n\n```\n```\n"
	probe(t, md, map[string]func(*shown){"telegram": func(s *shown) {
		var got []string
		for _, b := range s.blocks {
			got = append(got, fmt.Sprintf("%s %s %s", b.Kind, b.Disposition, b.Reason))
		}
		all := strings.Join(got, "\n")
		for _, want := range []string{"paragraph native", "table fallback grid", "media fallback media", "omitted comment"} {
			if !strings.Contains(all, want) {
				t.Errorf("no %q in\n%s", want, all)
			}
		}
	}})
}
