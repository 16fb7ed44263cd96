package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/test/cputime"
	"mcptea/internal/test/raced"
)

func brief(f schema.Form) string {
	var b strings.Builder
	for _, fd := range f.Fields {
		req := ""
		if fd.Required {
			req = "*"
		}
		fmt.Fprintf(&b, "%s%s %s (%s)", fd.Name, req, fd.Kind, fd.Type)
		for _, o := range fd.Options {
			fmt.Fprintf(&b, " %s=%s", o.Label, o.Value)
		}
		if fd.Default != nil {
			fmt.Fprintf(&b, " default %s", fd.Default)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

const rich = `{
  "type": "object",
  "title": "All kinds",
  "additionalProperties": false,
  "required": ["zulu", "ghost"],
  "properties": {
    "zulu": {"type": "string", "minLength": 2, "pattern": "^[a-z]+$"},
    "alpha": {"type": "number", "minimum": 1, "exclusiveMaximum": 10, "default": 5},
    "count": {"type": ["integer", "null"]},
    "on": {"type": "boolean", "default": false},
    "level": {"enum": ["low", "high", 3]},
    "named": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]},
    "titled": {"oneOf": [{"const": "a", "title": "Option A"}, {"const": "b", "title": "Option B"}]},
    "maybe": {"anyOf": [{"type": "string", "format": "email"}, {"type": "null"}], "description": "an address"},
    "fixed": {"const": 42},
    "tags": {"type": "array", "items": {"type": "string", "enum": ["x", "y", "z"]}, "minItems": 1, "maxItems": 2},
    "nested": {"$ref": "#/$defs/point"},
    "kind": {"$ref": "#/definitions/a~1b"},
    "points": {"type": "array", "items": {"$ref": "#/$defs/point"}},
    "either": {"type": ["string", "number"]},
    "any": true,
    "untyped": {"minLength": 1}
  },
  "$defs": {"point": {"type": "object", "properties": {"y": {"type": "number"}, "x": {"type": "number", "default": 1}, "next": {"$ref": "#/$defs/point"}}}},
  "definitions": {"a/b": {"type": "boolean"}}
}`

func TestParse(t *testing.T) {
	f := schema.Parse([]byte(rich))
	want := `zulu* string (string)
alpha number (number) default 5
count integer (integer or null)
on boolean (boolean) default false
level enum (enum) low="low" high="high" 3=3
named enum (enum) Red="r" Green="g"
titled enum (enum) Option A="a" Option B="b"
maybe string (string or null)
fixed enum (enum) 42=42 default 42
tags list (array of string) x="x" y="y" z="z"
nested JSON (object)
kind boolean (boolean)
points JSON (array of object)
either JSON (string or number)
any JSON (any)
untyped string (string)
ghost* JSON (any)
`
	if diff := cmp.Diff(want, brief(f)); diff != "" {
		t.Error(diff)
	}
	if !f.Closed || f.Title != "All kinds" || f.Unclear != "" {
		t.Errorf("closed %v, title %q, unclear %q", f.Closed, f.Title, f.Unclear)
	}
	nested, _ := f.Field("nested")
	if !strings.HasPrefix(nested.Skeleton, "{\n  \"y\": 0,\n  \"x\": 1,\n  \"next\": {") {
		t.Errorf("skeleton %s", nested.Skeleton)
	}
	if m, _ := f.Field("maybe"); m.Description != "an address" || m.Format != "email" {
		t.Errorf("maybe: %+v", m)
	}
}

func TestParseIsTolerant(t *testing.T) {
	for raw, unclear := range map[string]string{
		``:                       "",
		`true`:                   "",
		`null`:                   "not an object",
		`[1`:                     "not an object",
		`{}`:                     "",
		`{"type":"string"}`:      "asks for string",
		`{"properties":[]}`:      "",
		`{"properties":{"a":5}}`: "",
		`{"$ref":"#/x"}`:         "leads nowhere",
		`{"$ref":"#"}`:           "",
		`{"properties":{"a":{"$ref":"https://example.com/s.json"}}}`:                                  "leads nowhere",
		`{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{}}}]}`: "",
		`{"oneOf":[{"properties":{}}]}`:                                                               "oneOf",
		`{"required":"a","properties":{"a":{"type":7,"enum":{},"minLength":"x","minimum":null}}}`:     "",
	} {
		f := schema.Parse([]byte(raw))
		if unclear == "" && f.Unclear != "" || !strings.Contains(f.Unclear, unclear) {
			t.Errorf("%s: unclear %q, want %q", raw, f.Unclear, unclear)
		}
	}
	f := schema.Parse([]byte(`{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"number"}},"required":["b"]}]}`))
	if got := brief(f); got != "a* string (string)\nb* number (number)\n" {
		t.Errorf("allOf: %s", got)
	}
}

func TestEncode(t *testing.T) {
	f := schema.Parse([]byte(rich))
	for _, tc := range []struct{ field, text, want, err string }{
		{"zulu", `say "hi" <b>`, `"say \"hi\" <b>"`, ""},
		{"alpha", " 1e3 ", "1e3", ""},
		{"alpha", "1,5", "", `expected a number, found "1,5"`},
		{"alpha", "", "", "expected a number, found nothing"},
		{"alpha", "0x10", "", "expected a number"},
		{"count", "12345678901234567890", "12345678901234567890", ""},
		{"count", "1.0", "1.0", ""},
		{"count", "1.5", "", `expected an integer, found "1.5"`},
		{"count", "1e999999999", "", "expected an integer"},
		{"count", "null", "null", ""},
		{"on", "yes", "true", ""},
		{"on", "maybe", "", `expected true or false, found "maybe"`},
		{"level", "3", "3", ""},
		{"level", "3.0", "3", ""}, // one value
		{"level", " 3e0 ", "3", ""},
		{"level", `"3"`, "", "expected one of low, high, 3"},
		{"level", "low", `"low"`, ""},
		{"level", "mid", "", `expected one of low, high, 3, found "mid"`},
		{"titled", "Option B", `"b"`, ""},
		{"titled", "b", `"b"`, ""},
		{"tags", "x, z", `["x","z"]`, ""},
		{"tags", `["y"]`, `["y"]`, ""},
		{"tags", "x,q", "", `found "q"`},
		{"nested", ` {"x": 1.0} `, `{"x": 1.0}`, ""},
		{"nested", `{x:1}`, "", "line 1, column 2: invalid character 'x' looking for beginning of object key string; expected JSON (object)"},
		{"nested", " {\n  \"x\": 1\n", "", "line 2, column 9: the JSON ends too early; expected JSON (object)"},
	} {
		fd, ok := f.Field(tc.field)
		if !ok {
			t.Fatalf("no field %s", tc.field)
		}
		got, err := fd.Encode(tc.text)
		if string(got) != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s %q: %s, %v", tc.field, tc.text, got, err)
		}
		if err == nil {
			again, err := fd.Encode(fd.Decode(got))
			if err != nil || compact(again) != compact(got) {
				t.Errorf("%s: %s decodes to %q, which encodes to %s, %v", tc.field, got, fd.Decode(got), again, err)
			}
		}
	}
}

func TestValues(t *testing.T) {
	form := schema.Parse([]byte(rich))
	tree := form.Tree(false)
	for name, text := range map[string]string{"on": "no", "zulu": "", "level": "high", "count": "x", "alpha": ""} {
		tree.SetText(tree.Node(name), text)
	}
	got, errs := tree.Values()
	if string(got) != `{"zulu":"","count":"x","on":false,"level":"high"}` {
		t.Errorf("got %s", got)
	}
	if fmt.Sprint(errs) != `[zulu: required count: expected an integer, found "x" ghost: required: choose one]` {
		t.Errorf("errors %v", errs)
	}
}

func TestComplete(t *testing.T) {
	f := schema.Parse([]byte(`{"properties":{"a":{"type":"array","items":{"type":"string"}},"b":{"type":"object","properties":{"n":{"type":["null","number"],"minimum":2}}},"c":{"anyOf":[{"type":"boolean"},{"type":"array"}]},"d":{"type":"string"}},"required":["a","b","c"]}`))
	for args, want := range map[string]string{
		`{}`:                    `{"a":[""],"b":{"n":null},"c":null}`,
		`{"x":1,"d":"y","b":0}`: `{"a":[""],"b":0,"c":null,"d":"y","x":1}`,
		`[]`:                    `[]`,
	} {
		if got := compact(f.Complete([]byte(args))); got != want {
			t.Errorf("%s becomes %s, want %s", args, got, want)
		}
	}
}

func TestComplete_WithoutInventedValues(t *testing.T) {
	for _, tt := range []struct {
		form schema.Form
		want string
	}{
		{schema.Parse([]byte(`{"properties":{"b":{"type":"string"},"a":{"type":"number","default":10},"c":{"type":"string"}},"required":["a","b"]}`)), `{"b":"","a":10}`},
		{
			schema.Parse([]byte(`{"properties":{"b":{"enum":["x"]},"a":{"type":"integer","minimum":3},"l":{"type":"array","items":{"type":"object","properties":{"k":{"type":"boolean"}}}}},"required":["b","a","l"]}`)),
			`{"b":"","a":null,"l":[{"k":null}]}`,
		},
		{schema.FromArguments([]schema.Argument{{Name: "city", Required: true}, {Name: "style"}}), `{"city":""}`},
	} {
		if got := compact(tt.form.Complete([]byte(`{}`))); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestSchema_Check(t *testing.T) {
	f := schema.Parse([]byte(rich))
	for args, want := range map[string]string{
		`{"zulu":"ab","ghost":null}`:                                  "[]",
		`{"zulu":"a","ghost":1}`:                                      "[zulu: expected 2 characters or more, found 1]",
		`{"zulu":"AB","ghost":1}`:                                     `[zulu: expected a match of ^[a-z]+$, found "AB"]`,
		`{"ghost":1,"zulu":7,"alpha":10}`:                             "[zulu: expected a string, found number alpha: expected less than 10, found 10]",
		`{"ghost":1,"zulu":"ab","alpha":0,"on":"x","level":"mid"}`:    `[alpha: expected at least 1, found 0 on: expected true or false, found string level: expected one of low, high, 3, found "mid"]`,
		`{"ghost":1,"zulu":"ab","tags":["x","y","z"],"count":1.5}`:    "[count: expected an integer, found 1.5 tags: expected 2 values or fewer, found 3]",
		`{"ghost":1,"zulu":"ab","extra":1,"maybe":null,"count":null}`: "[extra: not in the schema, which allows no other properties]",
		`[1]`:         "[expected a JSON object, found array]",
		`{`:           "[expected a JSON object, found what is not JSON]",
		`{"ghost":1}`: "[zulu: required]",
	} {
		if got := fmt.Sprint(f.Check([]byte(args))); got != want {
			t.Errorf("%s:\n got %s\nwant %s", args, got, want)
		}
	}
}

func TestRecursionEnds(t *testing.T) {
	raced.Never(t, "one goroutine reads schemas without end")
	for _, raw := range []string{
		`{"$ref":"#","properties":{"a":{"$ref":"#"},"b":{"anyOf":[{"$ref":"#"},{"$ref":"#/properties/b"}]}}}`,
		`{"$defs":{"n":{"allOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/n"}],"properties":{"x":{"$ref":"#/$defs/n"},"y":{"$ref":"#/$defs/n"}}}},"properties":{"r":{"$ref":"#/$defs/n"}}}`,
		`{"$defs":{"n":{"allOf":[` + strings.Repeat(`{"$ref":"#/$defs/n"},`, 40) + `{}]}},"properties":{"r":{"$ref":"#/$defs/n"},"s":{"$ref":"#/$defs/n"}}}`,
	} {
		took := cputime.Of(func() {
			f := schema.Parse([]byte(raw))
			if len(f.Fields) == 0 {
				t.Errorf("%s: no fields", raw)
			}
			f.Complete([]byte(`{}`))
		})
		if took > 5*time.Second {
			t.Errorf("took %s", took)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(rich), "5")
	for _, text := range []string{"x", "true", "[]", "null", `"a"`, "1.5"} {
		f.Add([]byte(`{"properties":{"a":{"$ref":"#/properties/a"}}}`), text)
		f.Add([]byte(`{"allOf":[{"properties":{"a":{"type":["integer","null"]}}}],"required":["a"],"$defs":{"a":[{"const":1}]}}`), text)
		f.Add([]byte(`{"properties":{"a":{"type":"array","items":{"oneOf":[{"const":"a","title":"A"},{"const":1}]}}},"additionalProperties":false}`), text)
		f.Add([]byte(`{"properties":{"a":{"anyOf":[{"type":"null"},{"enum":["a",null,{}],"enumNames":["x","x","y"]}]}}}`), text)
	}
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		form := schema.Parse(raw)
		for i := range form.Fields {
			fd := &form.Fields[i]
			if v, err := fd.Encode(text); err == nil {
				if !json.Valid(v) {
					t.Fatalf("%s encodes %q to %q", fd.Name, text, v)
				}
				fd.Decode(v)
			}
		}
		tree := form.Tree(false)
		for n := range tree.Leaves {
			tree.SetText(n, text)
		}
		args, _ := tree.Values()
		if !json.Valid(args) {
			t.Fatalf("built %q", args)
		}
		form.Check(args)
		form.Check(raw)
		if sk := form.Complete([]byte(`{}`)); !json.Valid(sk) {
			t.Fatalf("completed %q", sk)
		}
	})
}

// What is too deep to be shown whole still has its type.
func TestComplete_DeepStringIsNotNull(t *testing.T) {
	inner := `{"type":"object","properties":{"content":{"type":"string"}},"required":["content"]}`
	for range 12 {
		inner = `{"type":"object","properties":{"a":` + inner + `},"required":["a"]}`
	}
	f := schema.Parse([]byte(inner))
	if got := string(f.Complete([]byte(`{}`))); strings.Contains(got, "null") {
		t.Errorf("proposed:\n%s", got)
	}
}

func compact(raw json.RawMessage) string { return string(jsonrpc.Compact(raw)) }
