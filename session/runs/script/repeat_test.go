package script

import (
	"slices"
	"testing"
)

// The tools whose calls run after each restart are a comment of the file; everything else stays.
func TestRepeat(t *testing.T) {
	const pin = "# a\ncall t {}\nexpect {}\n-- x --\n1\n"
	for _, test := range []struct {
		before string
		tools  []string
		after  string
	}{
		{pin, []string{"t"}, "# after each restart: t\n" + pin},
		{"# server: s\n\n" + pin, []string{"t"}, "# server: s\n# after each restart: t\n\n" + pin},
		{"# server: s\n# after each restart: t\n" + pin, []string{"t", "my tool"}, "# server: s\n# after each restart: t 'my tool'\n" + pin},
		{"# server: s\n# after each restart: t\n" + pin, nil, "# server: s\n" + pin},
		{"# after each restart: t\n" + pin, nil, pin},
		{pin, nil, pin},
	} {
		got := Repeat([]byte(test.before), test.tools)
		if string(got) != test.after {
			t.Errorf("%q with %q is %q, want %q", test.before, test.tools, got, test.after)
		}
		s, err := Parse("a.txtar", got)
		if err != nil || !slices.Equal(s.Repeated, test.tools) || len(s.Sections) != 1 || s.Sections[0].Name != "a" {
			t.Errorf("%q: %q %v", got, s.Repeated, err)
		}
	}
	if _, err := Parse("a.txtar", []byte("# after each restart: 'open\n"+pin)); err == nil {
		t.Error("a quote without its end is no error")
	}
	// Only the head of a file is read: a comment elsewhere is one.
	if s, _ := Parse("a.txtar", []byte(pin[:len("# a\ncall t {}\n")]+"# after each restart: t\n"+pin)); len(s.Repeated) > 0 {
		t.Errorf("a comment between commands names %q", s.Repeated)
	}
}
