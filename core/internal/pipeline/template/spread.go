package template

import (
	"strings"
	"unicode/utf8"
)

// spread writes the text so that the ends of a conditional around whole blocks
// are paragraphs of their own: where what is between them has a blank line, where
// one of them is alone on its line, and where the two of them enclose a whole
// paragraph. Others stay in their line. Marks in code are written out.
func (t text) spread(marks []mark) string {
	lines := strings.Split(string(t), "\n")
	at := make([]int, len(marks)) // the line of each mark
	for n, l := range lines {
		for _, r := range l {
			if i, ok := markAt(r); ok {
				at[i] = n
			}
		}
	}
	blank := func(n int) bool {
		return n < 0 || n >= len(lines) || strings.Trim(lines[n], " \t>") == ""
	}
	for i := range marks {
		m := &marks[i]
		if m.code || m.kind != open {
			continue
		}
		from, to := at[i], at[m.other]
		whole := blank(from-1) && blank(to+1) && begins(lines[from], i) && ends(lines[to], m.other)
		parted := false
		for n := from + 1; n < to; n++ {
			parted = parted || blank(n)
		}
		m.block = whole || parted || alone(lines[from], marks) || alone(lines[to], marks)
		marks[m.other].block = m.block
	}
	var out strings.Builder
	for n, l := range lines {
		if n > 0 {
			out.WriteByte('\n')
		}
		writeLine(&out, l, marks)
	}
	return out.String()
}

// writeLine writes a line, parted around the ends that are paragraphs.
func writeLine(out *strings.Builder, line string, marks []mark) {
	first, next := prefix(line)
	blank := strings.TrimRight(next, " \t")
	begun, last := false, false // something stands in the line; it is an end
	for rest := line[len(first):]; ; {
		if last {
			rest = strings.TrimLeft(rest, " \t")
		}
		if rest == "" {
			break
		}
		r, n := utf8.DecodeRuneInString(rest)
		i, ok := markAt(r)
		end := ok && !marks[i].code && marks[i].block
		switch {
		case !begun && end && first == next: // the line above may be text
			out.WriteString(blank + "\n" + first)
		case !begun: // behind a bullet a blank line would end the item
			out.WriteString(first)
		case end || last:
			out.WriteString("\n" + blank + "\n" + next)
		}
		if ok && marks[i].code {
			out.WriteString(marks[i].raw)
		} else {
			out.WriteString(rest[:n])
		}
		begun, last, rest = true, end, rest[n:]
	}
	if !begun {
		out.WriteString(line)
	}
	if last {
		out.WriteString("\n" + blank)
	}
}

// prefix is what stands before the text of a line, and what has to stand there in
// a line that goes on with it: quote marks stay, bullets become room.
func prefix(line string) (first, next string) {
	var b strings.Builder
	i := 0
	for i < len(line) {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '>':
			b.WriteByte(c)
			i++
			continue
		}
		n := bullet(line[i:])
		if n == 0 {
			break
		}
		b.WriteString(strings.Repeat(" ", n))
		i += n
	}
	return line[:i], b.String()
}

// bullet measures the bullet or number of an item, with the blank behind it.
func bullet(s string) int {
	n := 0
	switch {
	case s[0] == '-' || s[0] == '*' || s[0] == '+':
		n = 1
	default:
		for n < len(s) && n < 9 && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		if n == 0 || n == len(s) || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	}
	if n == len(s) || s[n] != ' ' {
		return 0
	}
	return n + 1
}

// begins reports whether mark i is the first of its line.
func begins(line string, i int) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " \t>"), string(runeOf(i)))
}

// ends reports whether mark i is the last of its line.
func ends(line string, i int) bool {
	return strings.HasSuffix(strings.TrimRight(line, " \t"), string(runeOf(i)))
}

// alone reports whether a line holds ends of conditionals and nothing else.
func alone(line string, marks []mark) bool {
	_, next := prefix(line)
	for _, r := range line[len(next):] {
		i, ok := markAt(r)
		if !ok && r != ' ' && r != '\t' || ok && (marks[i].code || marks[i].kind == fill) {
			return false
		}
	}
	return true
}
