package plan

import (
	"strings"
	"testing"
)

func TestRunsTests(t *testing.T) {
	for _, c := range []struct {
		line string
		is   bool
	}{
		{"go test ./...", true},
		{"cd core && go test -race ./... 2>&1 | tail -5", true},
		{"go -C core test", true},
		{"go build ./...", false},
		{"go run ./test", false},
		{"CGO_ENABLED=0 GOFLAGS=-count=1 go test", true},
		{"env A=1 nice -n 19 timeout 60s go test", true},
		{"python3 -m pytest -q", true},
		{"python3 -m http.server", false},
		{"uv run pytest", true},
		{"./node_modules/.bin/jest --ci", true},
		{"npx vitest run", true},
		{"npm --prefix web run test", true},
		{"npm run build", false},
		{"npm install pytest", false},
		{"cargo +nightly test", true},
		{"make -C sub test", true},
		{"make", false},
		{"./gradlew test", true},
		{"bash -lc 'cd x; go test ./...'", true},
		{"bash -c 'echo go test'", false},
		{`git commit -m "x; go test" && git push`, false},
		{"echo 'go test'", false},
		{"echo pytest", false},
		{"grep -rn pytest .", false},
		{"cat <<E\npytest\nE", true}, // a document is not told from commands
		{"go te\\\nst", true},
		{"", false},
		{"'", false},
		{`\`, false},
		{"bash -c", false},
		{"env", false},
		{"&& || ;", false},
	} {
		if got := runsTests(c.line); got != c.is {
			t.Errorf("%q: %v", c.line, got)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		is            bool
	}{
		{"*", "", true}, {"*", "a", true}, {"a*", "a", true}, {"a*a", "a", false}, {"a*a", "aa", true},
		{"*b*", "abc", true}, {"*b*b*", "abc", false}, {"a*c*e", "abcde", true}, {"a*c*e", "abde", false}, {"**x", "yx", true},
	} {
		if got := matches(strings.Split(c.pattern, "*"), c.name); got != c.is {
			t.Errorf("%s, %s: %v", c.pattern, c.name, got)
		}
	}
}

// TestStandsFor holds that kinship leads to an end.
func TestStandsFor(t *testing.T) {
	for name := range standsFor {
		seen := 0
		for at := name; at != ""; at = standsFor[at] {
			if seen++; seen > 3 {
				t.Fatalf("%s stands for itself", name)
			}
		}
	}
}

// FuzzCommand reads command lines of anybody: it neither fails nor makes up words.
func FuzzCommand(f *testing.F) {
	for _, s := range []string{"go test ./...", `bash -c "cd x; 'go' te\st"`, "'", `\`, "a && b | (c) {d}", "sh -c", "env A=1 \"\" x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		runsTests(line)
		n := 0
		for _, words := range commands(line) {
			if len(words) == 0 {
				t.Fatal("a command without words")
			}
			for _, w := range words {
				n += len(w)
			}
		}
		if n > len(line) {
			t.Fatalf("%d bytes of words in %d", n, len(line))
		}
	})
}
