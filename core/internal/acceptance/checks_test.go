package acceptance

import (
	"slices"
	"strconv"
	"strings"
)

// checks are what a case may demand, by the word that it uses. s is what one
// surface shows.
var checks = map[string]func(t failer, s *shown, args []string){
	// shows: every argument can be read, in one piece.
	"shows": func(t failer, s *shown, args []string) {
		t.Helper()
		text := clean(s.joined.text())
		for _, a := range args {
			if !strings.Contains(text, a) {
				t.Errorf("%s does not show %.200q", s.on, a)
			}
		}
	},
	// hides: no argument can be read or reached.
	"hides": func(t failer, s *shown, args []string) {
		t.Helper()
		for _, a := range args {
			if strings.Contains(clean(s.joined.reach()), a) {
				t.Errorf("%s shows %.200q", s.on, a)
			}
		}
	},
	// order: the arguments can be read one behind the other.
	"order": func(t failer, s *shown, args []string) {
		t.Helper()
		text := seen(s.joined.reach())
		for _, a := range args {
			i := strings.Index(text, seen(a))
			if i < 0 {
				t.Errorf("%s does not show %q in order %q", s.on, a, args)
				return
			}
			text = text[i+len(seen(a)):]
		}
	},
	// text: the argument, and nothing else, can be read; blanks do not count.
	"text": func(t failer, s *shown, args []string) {
		t.Helper()
		if got, want := seen(s.joined.text()), seen(args[0]); got != want {
			i := 0
			for i < len(got) && i < len(want) && got[i] == want[i] {
				i++
			}
			t.Errorf("%s shows another text at %d:\n got …%.120q\nwant …%.120q", s.on, i, got[max(0, i-40):], want[max(0, i-40):])
		}
	},
	// lines: the arguments are the lines.
	"lines": func(t failer, s *shown, args []string) {
		t.Helper()
		var got []string
		for _, l := range strings.Split(clean(s.joined.text()), "\n") {
			got = append(got, strings.TrimSpace(l))
		}
		if !slices.Equal(got, args) {
			t.Errorf("%s shows the lines %q, want %q", s.on, got, args)
		}
	},
	// raw: every argument stands in what is sent.
	"raw": func(t failer, s *shown, args []string) {
		t.Helper()
		for _, a := range args {
			if !strings.Contains(s.sent(), a) {
				t.Errorf("%s does not send %q", s.on, a)
			}
		}
	},
	// noraw: no argument stands in what is sent.
	"noraw": func(t failer, s *shown, args []string) {
		t.Helper()
		for _, a := range args {
			if strings.Contains(s.sent(), a) {
				t.Errorf("%s sends %q", s.on, a)
			}
		}
	},
	// code: every argument is all of one code span.
	"code": func(t failer, s *shown, args []string) {
		t.Helper()
		for _, a := range args {
			if !slices.Contains(s.joined.styled(code), a) {
				t.Errorf("%s has no code %q, only %q", s.on, a, s.joined.styled(code))
			}
		}
	},
	// pre: every argument stands in a block of code.
	"pre": func(t failer, s *shown, args []string) {
		t.Helper()
		text := clean(strings.Join(s.joined.styled(pre), "\n"))
		for _, a := range args {
			if !strings.Contains(text, a) {
				t.Errorf("%s has no block of code with %q, only %.300q", s.on, a, text)
			}
		}
	},
	// pretext: the blocks of code of all chunks are the argument together.
	"pretext": func(t failer, s *shown, args []string) {
		t.Helper()
		got := strings.TrimSuffix(strings.Join(s.joined.styled(pre), "\n"), "\n")
		if s.profile.Dialect == "html" {
			args[0] = strings.ReplaceAll(args[0], "\t", "    ")
		}
		if want := strings.TrimSuffix(args[0], "\n"); got != want {
			i := 0
			for i < len(got) && i < len(want) && got[i] == want[i] {
				i++
			}
			t.Errorf("%s shows other code at %d:\n got …%.120q\nwant …%.120q", s.on, i, got[max(0, i-40):], want[max(0, i-40):])
		}
	},
	// blocks: so many blocks of code there are.
	"blocks": func(t failer, s *shown, args []string) {
		t.Helper()
		if n := len(s.joined.styled(pre)); strconv.Itoa(n) != args[0] {
			t.Errorf("%s has %d blocks of code, want %s", s.on, n, args[0])
		}
	},
	// outside: every argument stands outside of code.
	"outside": func(t failer, s *shown, args []string) {
		t.Helper()
		text := clean(s.joined.without(code | pre))
		for _, a := range args {
			if !strings.Contains(text, a) {
				t.Errorf("%s does not show %q outside of code", s.on, a)
			}
		}
	},
	// lang: every block of code has the language.
	"lang": func(t failer, s *shown, args []string) {
		t.Helper()
		for _, n := range s.joined.runs {
			if n.style&pre != 0 && n.lang != args[0] {
				t.Errorf("%s has a block of code with the language %q, want %q", s.on, n.lang, args[0])
			}
		}
	},
	"bold":    styles(bold),
	"italic":  styles(italic),
	"struck":  styles(struck),
	"spoiler": styles(spoiler),
	"quoted":  styles(quoted),
	// allstruck: all of the argument is struck through, or nothing is.
	"allstruck": func(t failer, s *shown, args []string) {
		t.Helper()
		if got := s.joined.styled(struck); len(got) > 0 && !slices.Equal(got, args) {
			t.Errorf("%s strikes %q through, want all of %q or nothing", s.on, got, args)
		}
	},
	// unquoted: every argument stands outside of quotes.
	"unquoted": func(t failer, s *shown, args []string) {
		t.Helper()
		for _, a := range args {
			if !strings.Contains(clean(s.joined.without(quoted)), a) {
				t.Errorf("%s does not show %q outside of quotes", s.on, a)
			}
		}
	},
	// target: every argument can be reached by touching something, or, where a
	// surface has no links, be read.
	"target": func(t failer, s *shown, args []string) {
		t.Helper()
		for _, a := range args {
			if !slices.ContainsFunc(s.joined.runs, func(n run) bool { return n.href == a }) &&
				!(s.on == "log" && strings.Contains(s.joined.text(), a)) {
				t.Errorf("%s has no link to %q", s.on, a)
			}
		}
	},
	// notarget: nothing leads to any argument.
	"notarget": func(t failer, s *shown, args []string) {
		t.Helper()
		for _, n := range s.joined.runs {
			for _, a := range args {
				if n.href == a || n.href != "" && strings.HasSuffix(a, "*") && strings.HasPrefix(n.href, strings.TrimSuffix(a, "*")) {
					t.Errorf("%s has a link to %q", s.on, n.href)
				}
			}
		}
	},
	// targets: whatever leads anywhere leads to one of the arguments.
	"targets": func(t failer, s *shown, args []string) {
		t.Helper()
		for _, n := range s.joined.runs {
			if n.href != "" && !slices.Contains(args, n.href) {
				t.Errorf("%s has a link to %q, want %q", s.on, n.href, args)
			}
		}
	},
	// label: a link with the first argument as its label leads to the second.
	"label": func(t failer, s *shown, args []string) {
		t.Helper()
		label, href := "", ""
		for _, n := range s.joined.runs {
			if n.href != href {
				label, href = "", n.href
			}
			label += n.text
			if clean(label) == args[0] && href == args[1] {
				return
			}
		}
		if !strings.Contains(clean(s.joined.text()), args[0]+" ("+args[1]+")") {
			t.Errorf("%s has no link %q to %q", s.on, args[0], args[1])
		}
	},
	// chunks: there are at most so many.
	"chunks": func(t failer, s *shown, args []string) {
		t.Helper()
		if most, _ := strconv.Atoi(args[0]); len(s.chunks) > most {
			t.Errorf("%s has %d chunks, want at most %d", s.on, len(s.chunks), most)
		}
	},
	// atleast: every chunk but the last shows so many characters.
	"atleast": func(t failer, s *shown, args []string) {
		t.Helper()
		least, _ := strconv.Atoi(args[0])
		for i := range max(0, len(s.read)-1) {
			if n := len([]rune(seen(s.read[i].text()))); n < least {
				t.Errorf("%s shows %d characters in chunk %d, want %d", s.on, n, i, least)
			}
		}
	},
	// nothing: nothing is sent, and that is said once.
	"nothing": func(t failer, s *shown, _ []string) {
		t.Helper()
		n := 0
		for _, d := range s.said {
			if d.Code == "empty" {
				n++
			}
		}
		if len(s.chunks) > 0 || n != 1 {
			t.Errorf("%s: %d chunks, diagnostics %v", s.on, len(s.chunks), s.said)
		}
	},
	// says: there are so many diagnostics with the code.
	"says": func(t failer, s *shown, args []string) {
		t.Helper()
		n := 0
		for _, d := range s.said {
			if d.Code == args[0] {
				n++
			}
		}
		if strconv.Itoa(n) != args[1] {
			t.Errorf("%s: %d diagnostics %s, want %s: %v", s.on, n, args[0], args[1], s.said)
		}
	},
	// fast: it does not take long.
	"fast": func(t failer, s *shown, _ []string) {
		t.Helper()
		if s.elapsed.Seconds() > 2 && !race {
			t.Errorf("%v for %d bytes", s.elapsed, len(s.source))
		}
	},
}

// styles checks that exactly the arguments have the style.
func styles(st style) func(failer, *shown, []string) {
	return func(t failer, s *shown, args []string) {
		t.Helper()
		var got []string
		for _, a := range s.joined.styled(st) {
			got = append(got, strings.TrimSpace(clean(a)))
		}
		if !slices.Equal(got, args) {
			t.Errorf("%s: %q are in that style, want %q", s.on, got, args)
		}
	}
}

// clean is s without the characters that a dialect may put beside others.
func clean(s string) string {
	return strings.NewReplacer("\u2060", "", "\u200b", "", "\u200a", "").Replace(s)
}

// sent is what is sent, all chunks together.
func (s *shown) sent() string {
	var sb strings.Builder
	for _, c := range s.chunks {
		sb.WriteString(c.Text + "\n")
	}
	return sb.String()
}
