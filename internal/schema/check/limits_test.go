package check

import (
	"fmt"
	"strings"
	"testing"
)

func TestCompile_Bounds(t *testing.T) {
	nested := func(levels int) string {
		return strings.Repeat(`{"items":`, levels-1) + "{}" + strings.Repeat("}", levels-1)
	}
	parts := func(n int) string { // with the schema itself
		return `{"anyOf":[` + strings.Repeat("{},", n-2) + `{}]}`
	}
	sized := func(n int) string { return `{"title":"` + strings.Repeat("x", n-len(`{"title":""}`)) + `"}` }
	odd := func(n int) string {
		var properties []string
		for i := range n {
			properties = append(properties, fmt.Sprintf(`"p%d":{"$ref":"#/x-own/%d"}`, i, i))
		}
		return `{"x-own":[` + strings.Repeat("{},", n) + `{}],"properties":{` + strings.Join(properties, ",") + `}}`
	}
	for name, tc := range map[string]struct{ at, beyond string }{
		"levels":     {nested(32), nested(33)},
		"parts":      {parts(2000), parts(2001)},
		"bytes":      {sized(512 << 10), sized(512<<10 + 1)},
		"odd places": {odd(16), odd(17)},
	} {
		if p := Compile([]byte(tc.at), Options{}).Problem(); p != nil {
			t.Errorf("%s at the bound: %+v", name, p)
		}
		if p := Compile([]byte(tc.beyond), Options{}).Problem(); p == nil || p.Fault != Complex {
			t.Errorf("%s beyond the bound: %+v", name, p)
		}
	}
}

func TestCheck_MaxValueBytes(t *testing.T) {
	s := Compile([]byte(`{"type":"string"}`), Options{})
	for over, want := range []bool{true, false} {
		if m, ok := s.Check([]byte(`"` + strings.Repeat("x", 1<<20-2+over) + `"`)); ok != want || m != nil {
			t.Errorf("%d bytes beyond the bound: checked %t, %v", over, ok, m)
		}
	}
}

func TestCache_Bound(t *testing.T) {
	var c Cache
	for i := range 4096 {
		c.Compile(fmt.Appendf(nil, `{"minimum":%d}`, i), Options{})
	}
	if len(c.of) != 4096 {
		t.Errorf("of 4,096 schemas %d are kept", len(c.of))
	}
	if c.Compile([]byte(`{"minimum":4096}`), Options{}); len(c.of) != 1 {
		t.Errorf("with one schema more %d are kept", len(c.of))
	}
}
