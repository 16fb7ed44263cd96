package filter

import "testing"

func TestCycle_KeepsTheOtherParts(t *testing.T) {
	values := []string{"info", "warning", "error"}
	for _, c := range [][2]string{
		{``, `level:info`},
		{`level:info`, `level:warning`},
		{`level:error`, ``},
		{`level:error x`, `x`},
		{`x level:error`, `x`},
		{`a level:info  b`, `a b level:warning`},
		{`"say level:info now"`, `"say level:info now" level:info`},
		{`"two  words"`, `"two  words" level:info`},
		{`"two  words" level:info`, `"two  words" level:warning`},
		{`level:odd x`, `x`},
		{`a or b`, `(a or b) level:info`},
		{`(a or b) level:info`, `(a or b) level:warning`},
		{`(a or level:info) b`, `(a or level:info) b level:info`},
	} {
		if got := Cycle(c[0], "level", values...); got != c[1] {
			t.Errorf("%q became %q, want %q", c[0], got, c[1])
		}
	}
}
