package hosts

import (
	"io/fs"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// plainReferences has the forms of references, and takes the square of the length of some texts.
var plainReferences = regexp.MustCompile(`\$\{\{.*?\}\}|\$\{[^}]*\}|\$\([^)]*\)|\$[A-Za-z_]\w*|\{(?:env|file):[^}]*\}|%[A-Za-z_]\w*%`)

// The scanner finds the same references as a regular expression.
func TestScanner_LikeRegularExpression(t *testing.T) {
	parts := []string{"$", "{", "}", "${", "${{", "}}", "(", ")", "$(", "{env:", "{file:", "%", "A", "b_1", "1", "\n", ":-", "é", "\xff", " "}
	for seed := range uint64(20_000) {
		random := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		for range random.IntN(25) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		text := b.String()
		if got, want := referencesIn(text, 1000), plainReferences.FindAllString(text, -1); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
		mark := func(match string) string { return "<" + match + ">" }
		if got, want := replaceReferences(text, mark), plainReferences.ReplaceAllStringFunc(text, mark); got != want {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	}
}

// entryWith returns the entry of a file of Claude Code whose command is a text.
func entryWith(t *testing.T, env map[string]string, command string) *Server {
	t.Helper()
	m := home(t, nil)
	m.LookupEnv = func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	m.Read = func(string, int64) ([]byte, fs.FileMode, error) {
		return []byte(`{"mcpServers":{"a":{"command":` + strconv.Quote(command) + `}}}`), 0o600, nil
	}
	m.Exists = func(string) bool { return true }
	found, err := Discover(t.Context(), m, "claude-code")
	if err != nil || len(found.Servers) == 0 {
		t.Fatalf("%v: %v", found, err)
	}
	return found.Servers[0]
}

// A value at each bound is expanded; beyond it the entry is not used, and one sentence says why.
func TestExpanded_Bounds(t *testing.T) {
	long := strings.Repeat("x", maxExpanded)
	for _, tt := range []struct {
		label, command string
		env            map[string]string
		want           string // the expanded command
		why            string
	}{
		{"as many references as are expanded", strings.Repeat("${A}", maxReferences), map[string]string{"A": "1"}, strings.Repeat("1", maxReferences), ""},
		{"one more", strings.Repeat("${A}", maxReferences+1), map[string]string{"A": "1"}, "", `cannot be used: "command" is not expanded: it has more than 1,000 references to variables`},
		{"as long as a value may be", "${A}", map[string]string{"A": long}, long, ""},
		{"one byte longer", "${A}x", map[string]string{"A": long}, "", `cannot be used: "command" is not expanded: it becomes longer than 128 KiB`},
		{"very many", strings.Repeat("${A}", 100_000), map[string]string{"A": long}, "", `cannot be used: "command" is not expanded: it has more than 1,000 references to variables`},
		{"a long value without references", long + "y", nil, long + "y", ""},
		{"not set", "${A} ${B}", nil, "", "refers to ${A}, ${B}, whose value is not known here"},
		{"many that are not set", "${A}${B}${C}${D}${E}${F}${G}", nil, "", "refers to ${A}, ${B}, ${C}, ${D}, ${E} and 2 more references, whose value is not known here"},
		{"a default in a default", strings.Repeat("${A:-", 20_000) + "x" + strings.Repeat("}", 20_000), map[string]string{"A": "1"}, "1" + strings.Repeat("}", 19_999), ""},
	} {
		s := entryWith(t, tt.env, tt.command)
		if got := s.WhyUnknown(); got != tt.why {
			t.Errorf("%s: %.200q, want %q", tt.label, got, tt.why)
		}
		if tt.why == "" && s.Expanded.Command != tt.want {
			t.Errorf("%s: %.200q, want %.200q", tt.label, s.Expanded.Command, tt.want)
		}
		hasProblem := slices.ContainsFunc(s.Problems, func(p Problem) bool { return p.ID == "F052" && strings.HasSuffix(p.Message, "Write the value itself.") })
		if hasProblem != strings.HasPrefix(tt.why, "cannot be used") {
			t.Errorf("%s: %v", tt.label, s.Problems)
		}
		for _, p := range s.Problems {
			if len(p.Message) > 2*maxQuoted+500 {
				t.Errorf("%s: %s has a message of %d bytes", tt.label, p.ID, len(p.Message))
			}
		}
	}
}

// The values of a file become longer by a limited amount, however many there are.
func TestExpanded_BoundOfAFile(t *testing.T) {
	m := home(t, nil)
	long := strings.Repeat("x", maxExpanded)
	m.LookupEnv = func(string) (string, bool) { return long, true }
	args := strings.TrimSuffix(strings.Repeat(`"${A}",`, 1000), ",")
	m.Read = func(string, int64) ([]byte, fs.FileMode, error) {
		return []byte(`{"mcpServers":{"a":{"command":"c","args":[` + args + `]}}}`), 0o600, nil
	}
	m.Exists = func(string) bool { return true }
	found, err := Discover(t.Context(), m, "claude-code")
	if err != nil || len(found.Servers) == 0 {
		t.Fatal(err)
	}
	s := found.Servers[0]
	size := 0
	for _, arg := range s.Expanded.Args {
		size += len(arg)
	}
	if size > maxGrown+len(args) {
		t.Errorf("the arguments have %d bytes", size)
	}
	if want := `cannot be used: "args" is not expanded: the values of the file become more than 4 MiB longer`; s.WhyUnknown() != want {
		t.Errorf("%q, want %q", s.WhyUnknown(), want)
	}
}
