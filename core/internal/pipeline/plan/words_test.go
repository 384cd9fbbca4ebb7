package plan

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// found are those of keywords that occur in text.
func found(keywords []string, text string) []string {
	var streams []string
	for _, k := range keywords {
		streams = append(streams, stream(k))
	}
	s := newWords(streams).scan()
	s.text(text)
	s.end()
	out := []string{}
	for i := range s.found.all() {
		out = append(out, keywords[i])
	}
	return out
}

func TestKeywords(t *testing.T) {
	for _, c := range []struct {
		keyword, text string
		is            bool
		why           string
	}{
		{"tests", "all tests pass", true, "a word"},
		{"tests", "Tests", true, "the whole text, in capitals"},
		{"test", "tests", false, "a word goes on"},
		{"test", "contest", false, "a word began before"},
		{"test", "my_test", false, "an underscore is part of a name"},
		{"test", "unit-test.", true, "a hyphen and a full stop part words"},
		{"test", "attest test", true, "found behind a word that ends the same"},
		{"exit code", "exit  \n code", true, "spaces of any number and sort are one"},
		{"exit code", "exit codes", false, "the last word of a phrase goes on"},
		{"exit code", "exit, code", false, "a comma is no space"},
		{"  Exit\tCode ", "the exit code", true, "keywords are folded as text is"},
		{"°c", "20°C", true, "a symbol needs no border before it"},
		{"°c", "20 °Cal", false, "but a border behind its letter"},
		{"c++", "in C++, or", true, "a keyword that ends with symbols"},
		{"c", "C++", true, "symbols part words"},
		{"größe", "die GRÖSSE", false, "ß and SS are two spellings"},
		{"größe", "die GRÖẞE", true, "capitals beyond ASCII"},
		{"kelvin", "5 \u212aelvin", true, "the sign for kelvin folds to a k"},
		{"σας", "ΣΑΣ", true, "all forms of sigma are one"},
		{"ещё", "Ещё раз", true, "Cyrillic has borders"},
		{"ещ", "ещё", false, "and words that go on"},
		{"天気", "今日の天気は晴れ", true, "Japanese parts no words"},
		{"날씨", "오늘 날씨가", true, "Korean sets particles behind"},
		{"อากาศ", "สภาพอากาศวันนี้", true, "Thai parts no words"},
		{"iphone", "我的iPhone很好", true, "a Latin word among Chinese ones"},
		{"cafe", "cafe\u0301", false, "a mark belongs to its letter"},
		{"forecast", "fore\u00adcast", true, "what cannot be seen does not part a word"},
		{"data table", "data\u00a0table", true, "a space that does not break is one"},
		{"é", "É", true, "one letter"},
		{"a", "\xff a \xfe", true, "bytes that are no text do no harm"},
	} {
		if got := len(found([]string{c.keyword}, c.text)) == 1; got != c.is {
			t.Errorf("%s: %q in %q: %v", c.why, c.keyword, c.text, got)
		}
	}
}

func TestKeywordsWithinEachOther(t *testing.T) {
	all := []string{"report", "test report", "test", "test report card", "card", "port"}
	if got := found(all, "a test report card"); !slices.Equal(got, []string{"report", "test report", "test", "test report card", "card"}) {
		t.Errorf("found %q", got)
	}
	if got := found(all, "test report"); !slices.Equal(got, []string{"report", "test report", "test"}) {
		t.Errorf("found %q", got)
	}
}

// TestRuns holds that a keyword reaches over pieces of a run, not over its end.
func TestRuns(t *testing.T) {
	s := newWords([]string{stream("exit code")}).scan()
	s.text("exit")
	s.end()
	s.text("code xex")
	if s.found.has(0) {
		t.Error("found over the end of a run")
	}
	s.text("it code")
	s.end()
	if s.found.has(0) {
		t.Error("found within a word")
	}
	s.text("ex")
	s.text("it co")
	s.text("de")
	s.end()
	if !s.found.has(0) {
		t.Error("not found over the pieces of a run")
	}
}

// TestWordsProperty holds the automaton to plain search for the same bytes.
func TestWordsProperty(t *testing.T) {
	alphabet := []rune("ab Aé_天°\u0301\u00ad-")
	text := rapid.StringOfN(rapid.SampledFrom(alphabet), 0, 40, -1)
	rapid.Check(t, func(t *rapid.T) {
		var keywords []string
		seen := map[string]bool{}
		for _, k := range rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom(alphabet), 1, 6, -1), 1, 20).Draw(t, "keywords") {
			if s := stream(k); s != "" && !seen[s] {
				seen[s] = true
				keywords = append(keywords, k)
			}
		}
		in := text.Draw(t, "text")
		var b strings.Builder
		all := scan{tap: &b, state: 1}
		all.text(in)
		all.end()
		want := []string{}
		for _, k := range keywords {
			if strings.Contains(b.String(), stream(k)) {
				want = append(want, k)
			}
		}
		if got := found(keywords, in); !slices.Equal(got, want) {
			t.Fatalf("in %q found %q, want %q", in, got, want)
		}
	})
}
