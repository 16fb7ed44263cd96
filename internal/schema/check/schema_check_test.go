package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptea/internal/schema/check"
	"mcptea/internal/test/cputime"
	"mcptea/internal/test/raced"
)

func TestCheck_Check(t *testing.T) {
	for _, tt := range []struct {
		schema, value string
		path, says    string // empty when it fits
	}{
		{`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`, `{"limit":5}`, "", "/text is missing"},
		{`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`, `{"text":""}`, "", ""},
		{`{"properties":{"t":{"type":"number"}}}`, `{"t":"21"}`, "/t", "/t must be a number, found a string"},
		{`{"properties":{"t":{"type":"integer"}}}`, `{"t":2.0}`, "", ""},
		{`{"properties":{"t":{"type":"integer"}}}`, `{"t":2.5}`, "/t", "/t must be an integer, found a fraction"},
		{`{"properties":{"a/b":{"minimum":0.5}}}`, `{"a/b":0}`, "/a~1b", "/a~1b must be at least 0.5"},
		{`{"properties":{"t":{"enum":["x","y",3]}}}`, `{"t":"secret"}`, "/t", `/t must be one of "x", "y", 3`},
		{`{"properties":{},"additionalProperties":false}`, `{"b":1,"a":1}`, "/a", "/a is not in the schema, which allows no other members"},
		{`{"properties":{"l":{"type":"array","items":{"type":"string"}}}}`, `{"l":["a",1,2,3,4,5,6,7,8,9,10,11]}`, "/l/1", "/l/1 must be a string, found a number"},
		{`{"properties":{"t":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"t":1}`, "/t", "/t must be null or a string"},
		{`{"properties":{"t":{"anyOf":[{"type":"string","minLength":2},{"type":"null"}]}}}`, `{"t":"1"}`, "/t", "/t must have 2 characters or more, has 1"},
		{`{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1,"b":1}`, "", " fits more than one of the alternatives"},
		{`{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, "", " fits none of the 2 alternatives"},
		{`{"properties":{"e":{"format":"email"}}}`, `{"e":"x"}`, "", ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"e":{"type":"string","format":"email"}}}`, `{"e":"x"}`, "", ""},
		{`{"properties":{"e":{"pattern":"^(?!x)y"}}}`, `{"e":"x"}`, "", ""}, // Go cannot look ahead
		{`{"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`, `{"next":{"next":{"next":1}}}`, "/next/next/next", "/next/next/next must be an object, found a number"},
		{`{"allOf":[{"properties":{"x":{"$ref":"#"}}}]}`, `{"x":{"x":{}}}`, "", ""},
		{`{"type":"object"}`, `[]`, "", " must be an object, found an array"},
	} {
		s := check.Compile([]byte(tt.schema), check.Options{})
		if s.Problem() != nil {
			t.Errorf("%s: %+v", tt.schema, s.Problem())
			continue
		}
		m, ok := s.Check([]byte(tt.value))
		switch {
		case !ok:
			t.Errorf("%s is not checked by %s", tt.value, tt.schema)
		case m == nil && tt.says != "":
			t.Errorf("%s fits %s", tt.value, tt.schema)
		case m != nil && (m.About+" "+m.Reason != tt.says || m.Path != tt.path):
			t.Errorf("%s: at %q says %q, want %q at %q", tt.value, m.Path, m.About+" "+m.Reason, tt.says, tt.path)
		}
	}
}

func TestCheck_FormatsOfForms(t *testing.T) {
	s := check.Compile([]byte(`{"properties":{"e":{"format":"email"},"u":{"format":"uuid"}}}`), check.Options{Formats: true})
	if m, _ := s.Check([]byte(`{"e":"x","u":"x"}`)); m == nil || m.Reason != "is not an email address" || m.Path != "/e" {
		t.Errorf("%+v", m)
	}
	if m, ok := s.Check([]byte(`{"e":"x@y.org","u":"x"}`)); m != nil || !ok {
		t.Errorf("%+v", m)
	}
}

func TestCheck_Each(t *testing.T) {
	s := check.Compile([]byte(`{"allOf":[{"required":["id"]}],"properties":{"e":{"format":"email"},"a":{"items":{"type":"integer","maximum":9}},"o":{"anyOf":[{"type":"string"},{"type":"boolean"}]}}}`), check.Options{Formats: true})
	for value, want := range map[string]string{
		`{"e":"x","a":[1,10,"x"],"o":2}`: "/id is missing, /a/1 must be at most 9, /a/2 must be an integer, found a string, /e is not an email address, /o must be a boolean or a string",
		`{"id":1,"o":"x"}`:               "",
		`{"id"`:                          "",
	} {
		var says []string
		for _, m := range s.Each([]byte(value)) {
			says = append(says, m.About+" "+m.Reason)
		}
		if got := strings.Join(says, ", "); got != want {
			t.Errorf("%s: %s\nwant %s", value, got, want)
		}
	}
}

func TestCheck_Problems(t *testing.T) {
	deep := strings.Repeat(`{"properties":{"a":`, 33) + "{}" + strings.Repeat("}}", 33)
	justDeep := strings.Repeat(`{"properties":{"a":`, 31) + "{}" + strings.Repeat("}}", 31)
	for _, tt := range []struct {
		schema string
		o      check.Options
		fault  check.Fault
		reason string
	}{
		{`{"type":"object","properties":{"q":{"type":"strng"}}}`, check.Options{}, check.Invalid, `/properties/q/type must be one of "array", "boolean", "integer", "null", "number", "object", "string"`},
		{`{"properties":{"q":{"required":true}}}`, check.Options{}, check.Invalid, `/properties/q/required must be an array, found a boolean`},
		{`{"properties":{"q":{"minLength":-1}}}`, check.Options{Dialectless: true}, check.Invalid, `/properties/q/minLength must be at least 0`},
		{`[]`, check.Options{}, check.Invalid, "it must be a boolean or an object, found an array"},
		{`{"properties":{"q":{"type":"array","items":[{}]}}}`, check.Options{}, check.Invalid, ""},
		{`{"properties":{"q":{"type":"array","items":[{}]}}}`, check.Options{Dialectless: true}, 0, ""},
		{`{"properties":{"q":{"$ref":"#/$defs/no"}}}`, check.Options{}, check.Invalid, `the reference "#/$defs/no" leads nowhere`},
		{`{"properties":{"q":{"$ref":"other.json"}}}`, check.Options{}, check.Invalid, `the reference "other.json" leads nowhere`},
		{`{"properties":{"q":{"$ref":"https://example.com/x.json#/a"}}}`, check.Options{}, check.Remote, "https://example.com/x.json"},
		{`{"properties":{"q":{"$ref":"file:///etc/passwd"}}}`, check.Options{}, check.Invalid, ""},
		{`{"properties":{"q":{"$ref":"http://json-schema.org/draft-07/schema#"}}}`, check.Options{}, 0, ""},
		{`{"$id":"https://example.com/a","properties":{"q":{"$ref":"/a#/properties/r"},"r":{}}}`, check.Options{}, 0, ""},
		{`{"$schema":"http://json-schema.org/draft-03/schema#"}`, check.Options{}, check.Dialect, "http://json-schema.org/draft-03/schema#"},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema"}`, check.Options{}, 0, ""},
		{`{"$defs":{"n":{"allOf":[{"$ref":"#/$defs/n"}]}},"properties":{"x":{"$ref":"#/$defs/n"}}}`, check.Options{}, check.Complex, ""},
		{`{"properties":{"x":{"$dynamicRef":"#n"}},"$dynamicAnchor":"n"}`, check.Options{}, check.Unclear, ""},
		{`{"not":{"pattern":"(?!x)"}}`, check.Options{}, check.Unclear, ""},
		{`{"maximum":1e99999999}`, check.Options{}, check.Invalid, ""},
		{deep, check.Options{}, check.Complex, ""},
		{justDeep, check.Options{}, 0, ""},
		{`{"properties":{` + strings.Repeat(`"a":{},`, 3000) + `"b":{}}}`, check.Options{}, 0, ""},
		{`true`, check.Options{}, 0, ""},
	} {
		name := tt.schema[:min(80, len(tt.schema))]
		p := check.Compile([]byte(tt.schema), tt.o).Problem()
		switch {
		case p == nil && tt.fault != 0:
			t.Errorf("%s is fine", name)
		case p != nil && (p.Fault != tt.fault || tt.reason != "" && p.Reason != tt.reason):
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// What would take for ever is given up.
func TestCheck_Bounds(t *testing.T) {
	raced.Never(t, "one goroutine checks values until it gives up")
	var defs []string
	for i := range 40 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	doubling := `{"$defs":{` + strings.Join(defs, ",") + `,"d40":{"type":"string"}},%s}`
	var many, list []string
	for i := range 20000 {
		many = append(many, fmt.Sprintf(`%d`, i+1_000_000))
		list = append(list, fmt.Sprintf(`%d`, i))
	}
	var wide []string
	for i := range 2500 {
		wide = append(wide, fmt.Sprintf(`"p%d":{}`, i))
	}
	for _, tt := range []struct{ schema, value string }{
		{fmt.Sprintf(doubling, `"properties":{"x":{"$ref":"#/$defs/d0"}}`), `{"x":1}`},
		{fmt.Sprintf(doubling, `"not":{"properties":{"x":{"$ref":"#/$defs/d0"}}}`), `{"x":1}`},
		{fmt.Sprintf(doubling, `"propertyNames":{"$ref":"#/$defs/d0"}`), `{"x":1}`},
		{`{"items":{"enum":[` + strings.Join(many, ",") + `]}}`, `[` + strings.Join(list, ",") + `]`},
		{`{"minimum":1}`, `1e999999999`},
		{`{"properties":{` + strings.Join(wide, ",") + `}}`, `{}`},
	} {
		var ok bool
		took := cputime.Of(func() { _, ok = check.Compile([]byte(tt.schema), check.Options{}).Check([]byte(tt.value)) })
		if took > 15*time.Second {
			t.Errorf("%.60s took %v", tt.schema, took)
		}
		if ok && !strings.Contains(tt.schema, "propertyNames") {
			t.Errorf("%.60s says something about %.20s", tt.schema, tt.value)
		}
	}
}

func TestCheck_Cache(t *testing.T) {
	var c check.Cache
	a := c.Compile([]byte(`{"type":"object"}`), check.Options{})
	if b := c.Compile([]byte(`{"type":"object"}`), check.Options{}); a != b {
		t.Error("the same bytes are read twice")
	}
	if b := c.Compile([]byte(`{"type":"object"}`), check.Options{Formats: true}); a == b {
		t.Error("other options give the same schema")
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"q":{"$ref":"#/$defs/x"}},"$defs":{"x":{"oneOf":[{"type":"string"},{"minimum":1}]}}}`), []byte(`{"q":1}`))
	f.Add([]byte(`{"$id":"x","$anchor":"a","$ref":"#a"}`), []byte(`[]`))
	f.Fuzz(func(_ *testing.T, schema, value []byte) {
		for _, o := range []check.Options{{}, {Dialectless: true, Formats: true}} {
			check.Compile(schema, o).Check(value)
		}
	})
}
