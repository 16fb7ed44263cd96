package script

import (
	"strings"
	"testing"
)

func TestExchange_Edit(t *testing.T) {
	const source = "# first\ncall a {\"x\":1}\nexpect {}\n\n# second\n\t! read x://y\nexpect --exact {}\n"
	parsed, err := Parse("p.txtar", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	all := parsed.Exchanges()
	if got := all[1].Text(); got != "! read x://y" {
		t.Errorf("the line is %q", got)
	}
	if got := all[0].Expects() + ", " + all[1].Expects(); got != "at least this result, exactly this error" {
		t.Errorf("expected: %s", got)
	}
	now, err := all[0].Edit(` call a {"x":2} `)
	if want := strings.Replace(source, `"x":1`, `"x":2`, 1); err != nil || string(now) != want {
		t.Errorf("%q, %v", now, err)
	}
	for _, bad := range []string{"", "expect {}", "# third", "call a\ncall b", "call a &", "nonsense", "-- file --"} {
		if now, err := all[0].Edit(bad); err == nil {
			t.Errorf("%q gives %q", bad, now)
		}
	}
}
