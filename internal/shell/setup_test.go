package shell

import (
	"strings"
	"testing"
)

func TestSplitSetup(t *testing.T) {
	for line, want := range map[string]string{
		"node x.js":                       "|node x.js",
		"API_KEY=x node x.js":             "-e API_KEY=x|node x.js",
		"A=1 _b2= node x.js A=3":          "-e A=1 -e _b2=|node x.js A=3",
		"env A=1 node x.js":               "-e A=1|node x.js",
		"env -i A=1 node":                 "|env -i A=1 node",
		"env node":                        "|env node",
		"export A=1 && node":              "-e A=1|node",
		"export A=1; node":                "-e A=1|node",
		"cd dist && node x.js":            "--cwd dist|node x.js",
		"cd dist; node x.js":              "--cwd dist|node x.js",
		"cd a && cd b && A=1 node":        "-e A=1 --cwd a/b|node",
		"cd a && cd /b && node":           "--cwd /b|node",
		"cd dist node":                    "|cd dist node",
		"cd":                              "|cd",
		"cd dist &&":                      "--cwd dist|",
		"A=1":                             "-e A=1|",
		"1A=1 node":                       "|1A=1 node",
		"https://x/?a=b c":                "|https://x/?a=b c",
		"A=1 cd dist && env B=2 uv run x": "-e A=1 -e B=2 --cwd dist|uv run x",
		"cd dist && node a.js && cd b && node b.js": "--cwd dist|node a.js && cd b && node b.js",
	} {
		s, program := SplitSetup(strings.Fields(line))
		if got := strings.Join(s.Flags(), " ") + "|" + strings.Join(program, " "); got != want || s.IsZero() != strings.HasPrefix(want, "|") {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
