package check_test

import (
	"fmt"
	"strings"
	"testing"

	"mcptea/internal/schema/check"
	"mcptea/internal/test/raced"
)

func TestCheck_Compile_Bounds(t *testing.T) {
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
		if p := check.Compile([]byte(tc.at), check.Options{}).Problem(); p != nil {
			t.Errorf("%s at the bound: %+v", name, p)
		}
		if p := check.Compile([]byte(tc.beyond), check.Options{}).Problem(); p == nil || p.Fault != check.Complex {
			t.Errorf("%s beyond the bound: %+v", name, p)
		}
	}
}

func TestCheck_MaxValueBytes(t *testing.T) {
	s := check.Compile([]byte(`{"type":"string"}`), check.Options{})
	for over, want := range []bool{true, false} {
		if m, ok := s.Check([]byte(`"` + strings.Repeat("x", 1<<20-2+over) + `"`)); ok != want || m != nil {
			t.Errorf("%d bytes beyond the bound: checked %t, %v", over, ok, m)
		}
	}
}

func TestCheck_Cache_Bound(t *testing.T) {
	raced.Never(t, "one goroutine compiles schemas until a cache is full")
	var c check.Cache
	compile := func(i int) *check.Schema { return c.Compile(fmt.Appendf(nil, `{"minimum":%d}`, i), check.Options{}) }
	var all []*check.Schema
	for i := range 4096 {
		all = append(all, compile(i))
	}
	kept := func(of int) (n int) {
		for i := range of {
			if compile(i) == all[i] {
				n++
			}
		}
		return n
	}
	if n := kept(4096); n != 4096 {
		t.Errorf("of 4,096 schemas %d are kept", n)
	}
	if last := compile(4096); compile(4096) != last {
		t.Error("with one schema more that one is not kept")
	}
	if n := kept(4095); n != 0 {
		t.Errorf("with one schema more %d of those before it are kept", n)
	}
}
