package plan

import (
	"slices"
	"strings"
)

// A toolbox knows which signals the use of a tool gives.
type toolbox struct {
	exact map[string][]string // by name
	wild  []wildTool
}

// A wildTool is a pattern, cut at its stars.
type wildTool struct {
	parts  []string
	signal string
}

func (t *toolbox) add(pattern, signal string) {
	pattern = strings.ToLower(pattern)
	if strings.Contains(pattern, "*") {
		t.wild = append(t.wild, wildTool{strings.Split(pattern, "*"), signal})
		return
	}
	if t.exact == nil {
		t.exact = map[string][]string{}
	}
	t.exact[pattern] = append(t.exact[pattern], signal)
}

// The bounds of what is read of tool calls.
const (
	maxNames    = 1000     // different tools
	maxDeclared = 64       // signals that one call may declare
	maxCommand  = 64 << 10 // bytes of a command that are looked at
)

// signals are those of calls, in no order.
func (t *toolbox) signals(calls []ToolCall) []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range calls {
		if name := strings.ToLower(c.Name); name != "" && !seen[name] && len(seen) < maxNames {
			seen[name] = true
			out = t.named(out, name)
			if own := own(name); own != name {
				out = t.named(out, own)
			}
		}
		if strings.TrimSpace(c.Command) != "" {
			out = append(out, Terminal, CommandExec)
			if runsTests(c.Command[:min(len(c.Command), maxCommand)]) {
				out = append(out, verdict(c.ExitCode)...)
			}
		}
		for _, name := range c.Declares[:min(len(c.Declares), maxDeclared)] {
			if named(name) {
				out = append(out, name)
			}
		}
	}
	return out
}

func (t *toolbox) named(out []string, name string) []string {
	out = append(out, t.exact[name]...)
	for _, w := range t.wild {
		if matches(w.parts, name) {
			out = append(out, w.signal)
		}
	}
	return out
}

// own is the name of a tool without that of the server it comes from: "edit" of
// "mcp__files__edit", "files.edit", "files/edit" and "files:edit".
func own(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	return name[strings.LastIndexAny(name, "./:")+1:]
}

// verdict is what the exit of a test runner says: nothing where it was not found, or
// killed.
func verdict(exit *int) []string {
	switch {
	case exit == nil:
		return []string{Tests}
	case *exit == 126, *exit == 127, *exit >= 128, *exit < 0:
		return nil
	}
	return []string{Tests, PassFail}
}

// matches reports whether name consists of the parts of a pattern, two at least,
// with any letters between them.
func matches(parts []string, name string) bool {
	first, last := parts[0], parts[len(parts)-1]
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	rest := name[len(first) : len(name)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return true
}

// runners are the commands that run tests, by their first words.
var runners = [][]string{
	{"go", "test"}, {"gotestsum"}, {"ginkgo"}, {"pytest"}, {"py.test"}, {"tox"}, {"nox"}, {"unittest"}, {"nose2"},
	{"npm", "test"}, {"npm", "t"}, {"npm", "run", "test"}, {"yarn", "test"}, {"yarn", "run", "test"}, {"pnpm", "test"},
	{"pnpm", "run", "test"}, {"bun", "test"}, {"deno", "test"}, {"jest"}, {"vitest"}, {"mocha"}, {"ava"},
	{"playwright", "test"}, {"cypress", "run"}, {"cargo", "test"}, {"cargo", "nextest", "run"}, {"make", "test"},
	{"make", "check"}, {"mvn", "test"}, {"mvn", "verify"}, {"mvnw", "test"}, {"mvnw", "verify"}, {"gradle", "test"},
	{"gradlew", "test"}, {"dotnet", "test"}, {"ctest"}, {"bazel", "test"}, {"swift", "test"}, {"mix", "test"}, {"rspec"},
	{"rake", "test"}, {"rails", "test"}, {"phpunit"}, {"pest"}, {"sbt", "test"}, {"zig", "test"}, {"dart", "test"}, {"flutter", "test"},
}

// wrappers run the command that follows them.
var wrappers = [][]string{
	{"sudo"}, {"env"}, {"time"}, {"nice"}, {"nohup"}, {"exec"}, {"command"}, {"xvfb-run"}, {"timeout"}, {"npx"}, {"bunx"},
	{"pnpm", "exec"}, {"yarn", "exec"}, {"uv", "run"}, {"poetry", "run"}, {"pipenv", "run"}, {"hatch", "run"},
	{"bundle", "exec"}, {"python", "-m"}, {"python3", "-m"}, {"coverage", "run", "-m"},
}

// shells run what stands behind their -c.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh"}

// runsTests reports whether one of the simple commands of a line for a shell is a
// test runner. What stands within quotes is no command.
func runsTests(line string) bool {
	for _, words := range commands(line) {
		if isRunner(words) {
			return true
		}
	}
	return false
}

func isRunner(words []string) bool {
	for len(words) > 0 {
		words[0] = words[0][strings.LastIndexAny(words[0], `/\`)+1:]
		if slices.Contains(shells, words[0]) {
			for i, w := range words[1:] {
				if strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") && i+2 < len(words) {
					return slices.ContainsFunc(commands(words[i+2]), isRunner)
				}
			}
			return false
		}
		if begins(words) {
			return true
		}
		rest := unwrap(words)
		if len(rest) == len(words) {
			return false
		}
		words = rest
	}
	return false
}

// begins reports whether words begin as a test runner does, without flags and what
// may belong to them.
func begins(words []string) bool {
	return slices.ContainsFunc(runners, func(r []string) bool {
		n, flag := 0, false
		for _, w := range words {
			switch {
			case w == r[n]:
				if n++; n == len(r) {
					return true
				}
				flag = false
			case n == 0:
				return false
			case strings.HasPrefix(w, "-"), strings.HasPrefix(w, "+"):
				flag = w[0] == '-'
			case flag:
				flag = false
			default:
				return false
			}
		}
		return false
	})
}

// unwrap leaves out what stands before a command: assignments, and a wrapper with
// its flags, durations and assignments.
func unwrap(words []string) []string {
	if strings.IndexByte(words[0], '=') > 0 {
		return words[1:]
	}
	for _, w := range wrappers {
		if len(words) > len(w) && slices.Equal(words[:len(w)], w) {
			words = words[len(w):]
			for len(words) > 0 && (words[0] == "" || strings.HasPrefix(words[0], "-") || '0' <= words[0][0] && words[0][0] <= '9') {
				words = words[1:]
			}
			return words
		}
	}
	return words
}

// commands cuts a line for a shell into simple commands, and those into words. It
// knows quotes, and nothing of what a shell substitutes.
func commands(line string) [][]string {
	var out [][]string
	var words []string
	var word strings.Builder
	in := false // a word
	flush := func() {
		if in {
			words = append(words, word.String())
			word.Reset()
			in = false
		}
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '\'', '"':
			in = true
			for i++; i < len(line) && line[i] != c; i++ {
				if c == '"' && line[i] == '\\' && i+1 < len(line) {
					i++
				}
				word.WriteByte(line[i])
			}
		case '\\':
			if i++; i < len(line) && line[i] != '\n' {
				in = true
				word.WriteByte(line[i])
			}
		case ' ', '\t', '\r':
			flush()
		case '\n', ';', '&', '|', '(', ')', '{', '}':
			flush()
			if len(words) > 0 {
				out = append(out, words)
				words = nil
			}
		default:
			in = true
			word.WriteByte(c)
		}
	}
	flush()
	if len(words) > 0 {
		out = append(out, words)
	}
	return out
}
