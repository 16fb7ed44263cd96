package modelview_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcptea/check/modelview"
	"mcptea/lint"
)

// build rewrites tools for a host; each one is JSON.
func build(t *testing.T, host string, tools ...string) modelview.Report {
	t.Helper()
	var raws [][]byte
	for _, tool := range tools {
		if !json.Valid([]byte(tool)) {
			t.Fatalf("not JSON: %s", tool)
		}
		raws = append(raws, []byte(tool))
	}
	r := modelview.Build(modelview.Named(host), modelview.Server{Name: "my/server", Tools: raws})
	for _, tool := range r.Tools {
		if !json.Valid(tool.Definition) {
			t.Errorf("the definition is not JSON: %s", tool.Definition)
		}
	}
	return r
}

// tool is a tool with a name and a schema.
func tool(name, schema string) string {
	return fmt.Sprintf(`{"name":%q,"description":"Does the thing of %s.","inputSchema":%s,"annotations":{"readOnlyHint":true},"outputSchema":{"type":"object"}}`, name, name, schema)
}

// found are the problems of a report, "severity fact: place; place".
func modelviewFound(r modelview.Report) string {
	var lines []string
	for i := range r.Problems {
		p := &r.Problems[i]
		lines = append(lines, p.Severity().String()+" "+p.ID+": "+strings.Join(p.Shown(), "; "))
	}
	return strings.Join(lines, "\n")
}

const empty = `{"type":"object","properties":{}}`

func TestBuild_Problems(t *testing.T) {
	long := strings.Repeat("x", 60)
	described := func(schema string) string {
		return `{"type":"object","properties":{"a":` + schema + `}}`
	}
	for _, tt := range []struct {
		name, host string
		tools      []string
		want       string
	}{
		{"fine", "claude", []string{tool("fine", empty)}, ""},
		{"for apps alone", "openai", []string{tool("fine", empty), `{"name":"refresh now","inputSchema":{},"_meta":{"ui":{"visibility":["app"]}}}`}, "info visibility: refresh now"},
		{"dot in a name", "claude", []string{tool("a.b", empty)}, `error name: a.b  "."`},
		{"dot in a name", "openai", []string{tool("a.b", empty)}, `error name: a.b  "."`},
		{"dot in a name", "gemini", []string{tool("a.b", empty)}, ""},
		{"dot in a name", "plain", []string{tool("a.b", empty)}, ""},
		{"a list of types", "cursor", []string{tool("nullable", `{"type":"object","properties":{"a":{"type":["null","string"],"description":"A."},"b":{"type":"object","description":"B.","properties":{"c":{"type":["null","string"],"description":"C."}}}}}`)}, `warning types: nullable  /properties/a/type [\"null\",\"string\"]`},
		{"one type in each of anyOf", "cursor", []string{tool("nullable", `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"description":"A."}}}`)}, ""},
		{"a list of types", "claude-code", []string{tool("nullable", `{"type":"object","properties":{"a":{"type":["null","string"],"description":"A."}}}`)}, ""},
		{"digit at the begin", "gemini", []string{tool("2fa", empty)}, `error name: 2fa  "2"`},
		{"letter that is not ASCII", "gemini", []string{tool("été", empty)}, `error name: été  "é"`},
		{"long name", "openai", []string{tool(long+"12345", empty)}, "error name-length: " + long + "12345  65 characters"},
		{"long name", "claude", []string{tool(long+"12345", empty)}, "info name-length: " + long + "12345  65 characters"},
		{"very long name", "claude", []string{tool(long+long+long, empty)}, "error name: " + long + long + long + "  180 characters\ninfo name-length: " + long + long + long + "  180 characters"},
		{"59 with the server", "cursor", []string{tool(long[:50], empty)}, ""},
		{"60 with the server", "cursor", []string{tool(long[:51], empty)}, "error name-length: " + long[:51] + "  60 characters"},
		{"the same name", "openai", []string{tool("twin", empty), tool("twin", empty)}, "error unique: twin and twin  twin"},
		{
			"the same name after renaming", "claude-code",
			[]string{tool("copy.file", empty), `{"name":"copy_file","description":"Something else.","inputSchema":{"type":"object","properties":{}}}`},
			"error unique: copy_file and copy.file  mcp__my_server__copy_file\nwarning renamed: copy.file  mcp__my_server__copy_file\nwarning names: copy.file and copy_file",
		},
		{"not an object", "claude", []string{tool("list", `{"type":"array","items":{}}`)}, `error object: list  "array"`},
		{"no schema", "openai", []string{`{"name":"bare","description":"Nothing to see."}`}, "error object: bare  no type"},
		{"anyOf at the root", "claude", []string{tool("either", `{"type":"object","anyOf":[{"required":["a"]}]}`)}, "error root: either  /anyOf"},
		{"anyOf at the root", "claude-code", []string{tool("either", `{"type":"object","anyOf":[{"required":["a"]}]}`)}, "error root: either  /anyOf"},
		{"anyOf at the root", "vscode", []string{tool("either", `{"type":"object","anyOf":[]}`)}, "warning dropped: either  /anyOf"},
		{"anyOf in a property", "claude", []string{tool("either", described(`{"description":"One of both.","anyOf":[{"type":"string"},{"type":"number"}]}`))}, ""},
		{"bracket in a parameter", "claude", []string{tool("list", `{"type":"object","properties":{"filter[id]":{"description":"The id."}}}`)}, `error property: list  /properties/filter[id] "["`},
		{"array without items", "openai", []string{tool("list", described(`{"type":"array","description":"Some."}`))}, "error items: list  /properties/a array without items"},
		{"array without items", "claude", []string{tool("list", described(`{"type":"array","description":"Some."}`))}, ""},
		{"items is an array", "claude", []string{tool("pair", described(`{"type":"array","description":"Both.","items":[{"type":"string"}]}`))}, "error tuple: pair  /properties/a/items"},
		{"a type that there is not", "claude", []string{tool("much", described(`{"type":"int","description":"How much."}`))}, `error invalid: much  /properties/a/type must be one of "array", "boolean", "integer", "null", "number", "object", "string"`},
		{"a type that there is not", "plain", []string{tool("much", described(`{"type":"int","description":"How much."}`))}, ""},
		{"required is not defined", "gemini", []string{tool("need", `{"type":"object","properties":{},"required":["b"]}`)}, `error undefined: need  /required "b"`},
		{"format is kept, const is not", "gemini", []string{tool("date", described(`{"type":"string","description":"A day.","format":"date","const":"x"}`))}, "warning dropped: date  /properties/a/const"},
		{"a tool without properties", "openai", []string{tool("now", `{"type":"object","additionalProperties":false}`)}, "warning properties: now  no properties"},
		{"properties of a string", "gemini", []string{tool("patch", described(`{"type":"string","description":"What.","properties":{"a":{"type":"string","description":"A."}}}`))}, `error foreign: patch  /properties/a/properties type string`},
		{"rows that may be null", "gemini", []string{tool("rows", described(`{"type":"array","description":"Rows.","items":{"type":["object","null"],"properties":{"a":{"type":"string","description":"A."}}}}`))}, `warning union: rows  /properties/a/items [\"object\",\"null\"]`},
		{"numbers in an enum", "gemini", []string{tool("level", described(`{"description":"How much.","enum":[1,"2"]}`))}, "warning enum: level  /properties/a/enum 1"},
		{"a reference that names nothing", "plain", []string{tool("gone", described(`{"$ref":"#/$defs/x"}`))}, `warning reference: gone  /properties/a/$ref "#/$defs/x"`},
		{"a reference to another document", "openai", []string{tool("far", described(`{"$ref":"https://example.com/x"}`))}, `warning reference: far  /properties/a/$ref "https://example.com/x"`},
		{"no description", "plain", []string{`{"name":"mute","inputSchema":{"type":"object","properties":{}}}`}, "warning empty: mute"},
		{"uncertain limit", "openai", []string{`{"name":"long","description":"` + strings.Repeat("word ", 250) + `","inputSchema":{"type":"object","properties":{}}}`}, "warning description: long  1250 characters"},
		{"cut description", "claude-code", []string{`{"name":"long","description":"` + strings.Repeat("word ", 500) + `","inputSchema":{"type":"object","properties":{}}}`}, "warning description: long  2500 characters"},
		{
			"a parameter without description", "plain",
			[]string{tool("copy", `{"type":"object","properties":{"from":{},"thing":{},"to":{}},"required":["from"]}`)},
			"warning unused: copy  /properties/to\ninfo undescribed: copy  /properties/from, /properties/thing",
		},
		{"the place in an array of schemas", "openai", []string{tool("wide", `{"type":"object","properties":{"a":{"description":"A.","oneOf":[{"type":"string"},{"type":"array"},{"type":"object","properties":{"b":{"type":"array","description":"B."}}}]}}}`)}, "error items: wide  /properties/a/oneOf/1 array without items, /properties/a/oneOf/2/properties/b array without items"},
		{"the same words in names", "plain", []string{tool("getUser", empty), tool("users_get", empty)}, "warning names: getUser and users_get"},
		{"names with one more word", "plain", []string{
			`{"name":"read_file","description":"Read the whole content of one file.","inputSchema":{"type":"object","properties":{}}}`,
			`{"name":"read_text_file","description":"Read the content of one file as text, or a part of it.","inputSchema":{"type":"object","properties":{}}}`,
		}, "warning names: read_file and read_text_file"},
		{"a verb, and what it is done to", "plain", []string{
			`{"name":"query","description":"Run a query of the metrics at one time.","inputSchema":{"type":"object","properties":{}}}`,
			`{"name":"queryRange","description":"Run a query of the metrics over a range of time.","inputSchema":{"type":"object","properties":{}}}`,
			`{"name":"delete","description":"Delete one of the posts by its id.","inputSchema":{"type":"object","properties":{}}}`,
			`{"name":"delete_comment","description":"Delete one of the comments by its id.","inputSchema":{"type":"object","properties":{}}}`,
		}, ""},
		{"the order says what is made of what", "plain", []string{tool("csv_to_json", empty), tool("json_to_csv", empty), tool("km2mile", empty), tool("xmlFromYaml", empty), tool("yamlFromXml", empty)}, ""},
		{"the order says nothing", "plain", []string{tool("order_list", empty), tool("listOrders", empty)}, "warning names: order_list and listOrders"},
		{"an enum with a default", "plain", []string{tool("weather", `{"type":"object","properties":{"unit":{"enum":["celsius","fahrenheit"],"default":"celsius"},"days":{"type":"integer","default":3},"kind":{"enum":["a","b"]}}}`)}, "warning unused: weather  /properties/days, /properties/kind"},
		{"the same words in descriptions", "plain", []string{
			`{"name":"alpha","description":"Find the newest orders of one customer.","inputSchema":{"type":"object","properties":{}}}`,
			`{"name":"omega","description":"Find the newest orders of a customer.","inputSchema":{"type":"object","properties":{}}}`,
		}, "warning descriptions: alpha and omega  80% of the words"},
		{"different tools", "plain", []string{tool("create_order", empty), tool("delete_order", empty)}, ""},
	} {
		t.Run(tt.host+" "+tt.name, func(t *testing.T) {
			if got := modelviewFound(build(t, tt.host, tt.tools...)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestBuild_Definition(t *testing.T) {
	const schema = `{ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": ["string","null"], "description": "A \u00e9."}, "b": {"$ref": "#/$defs/n"}, "c": {"type": ["string","number"], "description": "C"}}, "$defs": {"n": {"type": "integer", "exclusiveMinimum": 0, "enum": [1]}}, "additionalProperties": false}`
	for host, want := range map[string]string{
		"claude":      `{"name":"set","description":"Does the thing of set.","input_schema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":["string","null"],"description":"A \u00e9."},"b":{"$ref":"#/$defs/n"},"c":{"type":["string","number"],"description":"C"}},"$defs":{"n":{"type":"integer","exclusiveMinimum":0,"enum":[1]}},"additionalProperties":false}}`,
		"openai":      `{"type":"function","name":"set","description":"Does the thing of set.","parameters":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":["string","null"],"description":"A \u00e9."},"b":{"$ref":"#/$defs/n"},"c":{"type":["string","number"],"description":"C"}},"$defs":{"n":{"type":"integer","exclusiveMinimum":0,"enum":[1]}},"additionalProperties":false}}`,
		"gemini":      `{"name":"set","description":"Does the thing of set.","parameters":{"type":"object","properties":{"a":{"nullable":true,"type":"string","description":"A \u00e9."},"b":{"type":"integer","enum":["1"]},"c":{"anyOf":[{"type":"string"},{"type":"number"}],"description":"C"}}}}`,
		"gemini-cli":  `{"name":"mcp_my_server_set","description":"Does the thing of set.","parametersJsonSchema":{"type":"object","properties":{"a":{"type":["string","null"],"description":"A \u00e9."},"b":{"$ref":"#/$defs/n"},"c":{"type":["string","number"],"description":"C"}},"$defs":{"n":{"type":"integer","exclusiveMinimum":0,"enum":[1]}}}}`,
		"claude-code": `{"name":"mcp__my_server__set",`,
	} {
		if got := string(build(t, host, tool("set", schema)).Tools[0].Definition); !strings.HasPrefix(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", host, got, want)
		}
	}
	const null = `{"name":"set","description":"Does the thing of set.","parameters":{"type":"object","properties":{"a":{"nullable":true,"description":"Nothing."}}}}`
	if got := string(build(t, "gemini", tool("set", `{"type":"object","properties":{"a":{"type":["null"],"description":"Nothing."}}}`)).Tools[0].Definition); got != null {
		t.Errorf("null alone became %s", got)
	}
	if got := build(t, "gemini-cli", tool(strings.Repeat("ab", 40), empty)).Tools[0].Sent; got != "mcp_my_server_abababababababa"[:28]+"___"+strings.Repeat("ab", 16) {
		t.Errorf("a long name became %q", got)
	}
	cut := build(t, "claude-code", `{"name":"x","description":"`+strings.Repeat("é", 3000)+`","inputSchema":{"type":"object","properties":{}}}`).Tools[0]
	if n := strings.Count(string(cut.Definition), "é") + strings.Count(string(cut.Definition), `\u00e9`); n != 2048 {
		t.Errorf("%d characters of the description are sent", n)
	}
}

// One tool that is left out costs nothing; a limit of the number counts the others.
func TestBuild_Cost(t *testing.T) {
	var tools []string
	for i := range 129 {
		tools = append(tools, tool(fmt.Sprintf("number%03d%s", i, strings.Repeat("z", i%7)), empty))
	}
	if got := modelviewFound(build(t, "openai", tools...)); !strings.HasPrefix(got, "error tools: 129 tools") {
		t.Errorf("129 tools: %s", got)
	}
	if got := modelviewFound(build(t, "openai", tools[:128]...)); strings.Contains(got, "tools: 128") {
		t.Errorf("128 tools: %s", got)
	}
	r := build(t, "claude-code", tool("good", empty), tool("bad", `{"type":"object","oneOf":[]}`))
	if !r.Tools[1].LeftOut || r.Cost != r.Tools[0].Cost || r.Share(&r.Tools[0]) != 100 || r.Share(&r.Tools[1]) != 0 {
		t.Errorf("a tool that is left out is counted: %+v", r)
	}
	if !strings.HasPrefix(r.Sentence(), "A model gets 1 of 2 tools through Claude Code: ~") || strings.Contains(r.Sentence(), "refused") {
		t.Error(r.Sentence())
	}
	// What is wrong with a tool that is left out is not sent.
	r = build(t, "claude-code", tool("good", empty), tool("bad", `{"type":"object","properties":{"a b":{"description":"A."}},"oneOf":[]}`))
	if !strings.HasPrefix(r.Sentence(), "A model gets 1 of 2 tools through Claude Code: ~") {
		t.Error(r.Sentence())
	}
	r = build(t, "claude-code", tool("good", empty), tool("bad", `{"type":"object","properties":{"a b":{"description":"A."}}}`))
	if !strings.HasPrefix(r.Sentence(), "The whole request would be refused by Claude Code: 2 of 2 tools") {
		t.Error(r.Sentence())
	}
	// An escape is one character, and spaces cost nothing; a wide character is a token, three to four of
	// the others are one.
	without := build(t, "plain", tool("a", `{"type":"object","default":0}`)).Cost.Characters - 1
	for text, of := range map[string]struct{ characters, wide int }{
		`"abcdefghij"`: {12, 0}, `"日本語"`: {5, 3}, `"\u65e5\u672c"`: {4, 2}, `"a\"b\\"`: {6, 0}, `"\u00e9\/" `: {4, 0}, `[ 1.0, 1e0 ]`: {5, 0}, `"abcdefghijk"`: {13, 0}, `"abcdefghijkl"`: {14, 0},
	} {
		all := without + of.characters
		narrow := all - of.wide
		want := modelview.Cost{Characters: all, Low: of.wide + (narrow+3)/4, High: of.wide + (narrow+2)/3}
		r := build(t, "plain", tool("a", `{"type":"object","default":`+text+`}`))
		if got := r.Tools[0].Cost; got != want || r.Cost != want {
			t.Errorf("%s costs %+v, want %+v: %s", text, got, want, r.Tools[0].Definition)
		}
	}
}

// referring is a schema with many references to the same one.
func referring(to string) string {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, `,"p%d":{"$ref":"#/$defs/a"}`, i)
	}
	return `{"type":"object","properties":{` + b.String()[1:] + `},"$defs":{"a":` + to + `}}`
}

// A schema that refers to itself, or grows without end, has a bounded form.
func TestBuild_Bounds(t *testing.T) {
	r := build(t, "gemini", tool("tree", `{"type":"object","properties":{"node":{"$ref":"#/$defs/node"}},"$defs":{"node":{"description":"N","type":"object","properties":{"next":{"$ref":"#/$defs/node"}}}}}`))
	if got := modelviewFound(r); !strings.Contains(got, `warning recursion: tree  /properties/node/properties/next/$ref "#/$defs/node"`) {
		t.Error(got)
	}
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range 40 {
		fmt.Fprintf(&b, `"d%d":{"properties":{"x":{"$ref":"#/$defs/d%d"},"y":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	b.WriteString(`"d40":{"type":"string"}}}`)
	long := strings.Repeat("x", 16<<10)
	for name, schema := range map[string]string{
		"many":                    b.String(),
		"long names":              referring(`{"properties":{"` + long + `":{}}}`),
		"long values":             referring(`{"enum":["` + long + `"]}`),
		"long types":              referring(`{"type":["` + long + `","null"]}`),
		"what is not sent":        referring(`{"x-unknown":"` + long + `"}`),
		"what is not JSON Schema": referring(`{"properties":"` + long + `"}`),
	} {
		d := string(build(t, "gemini", tool("bomb", schema)).Tools[0].Definition)
		if len(d) > 4*256<<10 || !strings.Contains(d, `"$ref"`) {
			t.Errorf("%s: the definition has %d bytes", name, len(d))
		}
	}
	deep := strings.Repeat(`{"type":"array","items":`, 500) + `{}` + strings.Repeat("}", 500)
	build(t, "openai", tool("deep", `{"type":"object","properties":{"a":`+deep+`}}`))
	for _, raw := range []string{`{}`, `[]`, `null`, `{"name":7,"description":[],"inputSchema":"x"}`, `{"inputSchema":{"properties":[],"required":{},"items":3,"$ref":5,"enum":{},"type":[]}}`} {
		for _, h := range modelview.Hosts() {
			build(t, h.ID, raw)
		}
	}
	name := strings.Repeat("é", 256) // the bytes of a name that count
	if got := modelviewFound(build(t, "plain", tool(name+"a", empty), tool(name+"zzz", empty))); !strings.HasPrefix(got, "warning names: ") {
		t.Error(got)
	}
	const maxPlaces = 500 // of a problem
	many := make([]string, maxPlaces+9)
	for i := range many {
		many[i] = fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object","properties":{}}}`, i)
	}
	r = build(t, "plain", many...)
	i := slices.IndexFunc(r.Problems, func(p modelview.Problem) bool { return p.ID == "empty" })
	if p := r.Problems[i]; len(p.Places) != maxPlaces || p.More != 9 || p.Shown()[6] != "and at least 494 more" {
		t.Errorf("%d places and %d more: %s", len(p.Places), p.More, p.Shown())
	}
	// A tool with many places, below a long name.
	wide := `{"type":"object","properties":{"` + strings.Repeat("x", 10_000) + `":{"description":"X","properties":{`
	for i := range maxPlaces + 9 {
		wide += fmt.Sprintf(`"p%d":{},`, i)
	}
	r = build(t, "plain", tool("wide", wide+`"last":{}}}}}`))
	i = slices.IndexFunc(r.Problems, func(p modelview.Problem) bool { return p.ID == "undescribed" })
	if got := r.Problems[i].Shown(); len(got) != 2 || len(got[0]) > 20*2*100 || !strings.HasSuffix(got[0], "/properties/p19, …") || got[1] != "and more" {
		t.Errorf("%.9000q", got)
	}
}

func TestHosts_Catalog(t *testing.T) {
	var ids []string
	for _, h := range modelview.Hosts() {
		ids = append(ids, h.ID)
		if h.Name == "" || h.Schema == "" {
			t.Errorf("%s lacks a name or the member of the schema", h.ID)
		}
		for _, f := range h.Facts {
			if !slices.Contains([]modelview.Effect{"no list", "refused", "left out", "hidden", "changed", "advice"}, f.Effect) ||
				!slices.Contains([]string{"measured", "documented", "reported", "uncertain", "heuristic"}, f.Certainty) ||
				!regexp.MustCompile(`^20\d\d(-\d\d)?$`).MatchString(f.Date) || f.Source == "" || f.Says == "" || f.Change == "" {
				t.Errorf("%s %s: a member is missing or unknown: %+v", h.ID, f.ID, f)
			}
			if f.Certainty == "uncertain" && f.Severity() == lint.Error {
				t.Errorf("%s %s is uncertain, and an error", h.ID, f.ID)
			}
		}
	}
	if !slices.Equal(ids, modelview.IDs) {
		t.Errorf("the table has %v, IDs %v", ids, modelview.IDs)
	}
	if modelview.Named("nosuch") != nil {
		t.Error("a host that is not there was found")
	}
}

// What a library refuses costs all tools of the server in each host that reads the list with it, and nothing elsewhere.
func TestBuild_ListRefusedByTheLibrary(t *testing.T) {
	good := tool("good", empty)
	for _, tt := range []struct {
		name, bad string
		lost      []string // hosts that get no tool
		where     string
	}{
		{"title", `{"name":"bad","description":"Does it.","title":5,"inputSchema":{"type":"object","properties":{}}}`, []string{"claude-code", "cursor", "gemini-cli", "typescript-sdk", "typescript-sdk-2", "go-sdk", "mcp-go"}, "bad  /title 5 is not a string"},
		{"type of outputSchema", `{"name":"bad","description":"Does it.","inputSchema":{"type":"object","properties":{}},"outputSchema":{"type":"array"}}`, []string{"claude-code", "cursor", "typescript-sdk", "typescript-sdk-2"}, `bad  /outputSchema/type "array" is not "object"`},
		{"reference", `{"name":"bad","description":"Does it.","inputSchema":{"type":"object","properties":{}},"outputSchema":{"type":"object","properties":{"a":{"$ref":"#/none"}}}}`, []string{"claude-code", "typescript-sdk"}, `bad  /outputSchema/properties/a/$ref "#/none" is not a reference to a part of the schema`},
		{"no schema", `{"name":"bad","description":"Does it."}`, []string{"claude-code", "cursor", "typescript-sdk", "typescript-sdk-2"}, "bad  /inputSchema nothing is not an object"},
		{"a hint", `{"name":"bad","description":"Does it.","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":"yes"}}`, []string{"cursor", "go-sdk"}, `bad  /annotations/readOnlyHint "yes" is not a boolean`},
		{"for apps alone", `{"name":"bad","description":"Does it.","icons":{},"inputSchema":{"type":"object","properties":{}},"_meta":{"ui":{"visibility":["app"]}}}`, []string{"cursor"}, "bad  /icons an object is not an array"},
	} {
		for _, host := range modelview.IDs {
			r := build(t, host, good, tt.bad)
			lost := r.Tools[0].LeftOut && strings.Contains(r.Sentence(), "gets none of 2 tools")
			if lost && r.Errors == 0 {
				t.Errorf("%s, %s: no error", tt.name, host)
			}
			if slices.Contains(tt.lost, host) && (!lost || !strings.Contains(modelviewFound(r), "error sdk: "+tt.where)) {
				t.Errorf("%s, %s: %s\n%s", tt.name, host, r.Sentence(), modelviewFound(r))
			}
			if r.Host.SDK == "" && lost {
				t.Errorf("%s: %s loses the list: %s", tt.name, host, modelviewFound(r))
			}
		}
		if r := build(t, "plain", good, tt.bad); !strings.Contains(modelviewFound(r), "warning sdk: "+tt.where) {
			t.Errorf("%s, plain: %s", tt.name, modelviewFound(r))
		}
	}
	for _, host := range modelview.IDs {
		if r := build(t, host, good); r.Tools[0].LeftOut || strings.Contains(modelviewFound(r), " sdk: ") {
			t.Errorf("%s: a right tool: %s", host, modelviewFound(r))
		}
	}
}

// A result of initialize that a library refuses costs all tools in each host that connects with it.
func TestBuild_ConnectionRefusedByTheLibrary(t *testing.T) {
	server := modelview.Server{Name: "s", Tools: [][]byte{[]byte(tool("one", empty)), []byte(tool("two", empty))}}
	for _, id := range modelview.IDs {
		h := modelview.Named(id)
		server.Initialize = []byte(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`)
		if r := modelview.Build(h, server); r.Tools[0].LeftOut || strings.Contains(modelviewFound(r), " connect: ") {
			t.Errorf("%s, a right result: %s\n%s", id, r.Sentence(), modelviewFound(r))
		}
		server.Initialize = []byte(`{"protocolVersion":"2025-06-18","capabilities":{"tools":[]},"serverInfo":{"name":"s","version":"1"}}`)
		r := modelview.Build(h, server)
		switch lost := r.Tools[0].LeftOut && r.Tools[1].LeftOut && strings.HasSuffix(r.Sentence(), "it refuses the connection."); {
		case id == "plain" && (lost || !strings.Contains(modelviewFound(r), "warning connect: /capabilities/tools an array is not an object")):
			t.Errorf("%s: %s\n%s", id, r.Sentence(), modelviewFound(r))
		case id != "plain" && lost != (h.SDK != ""):
			t.Errorf("%s: %s\n%s", id, r.Sentence(), modelviewFound(r))
		}
	}
	m := modelview.BuildAll(server)
	if cells := m.Rows[1].Cells; cells[slices.Index(modelview.IDs, "cursor")] != modelview.NoList || cells[slices.Index(modelview.IDs, "vscode")] != modelview.Given || m.Lost != 2 ||
		m.Rows[1].Reason != "initialize: /capabilities/tools an array is not an object (7 hosts)" {
		t.Errorf("%d lost; %+v", m.Lost, m.Rows[1])
	}
}

// Instructions that a host cuts are named for this host, and concern no tool.
func TestBuild_InstructionsCut(t *testing.T) {
	server := modelview.Server{Name: "s", Tools: [][]byte{[]byte(tool("one", empty))}}
	for _, host := range []string{"claude-code", "openai"} {
		for _, n := range []int{0, 2048, 2049} {
			server.Instructions = strings.Repeat("é", n)
			r := modelview.Build(modelview.Named(host), server)
			found := strings.Contains(modelviewFound(r), "warning instructions: /instructions 2049 characters")
			if want := host == "claude-code" && n == 2049; found != want || r.Tools[0].LeftOut || r.Tools[0].Concerned {
				t.Errorf("%s, %d characters: %s", host, n, modelviewFound(r))
			}
		}
	}
}

func TestBuildAll_CellsAndReasons(t *testing.T) {
	m := modelview.BuildAll(modelview.Server{Name: "s", Tools: [][]byte{
		[]byte(tool("good", empty)), []byte(`{"name":"bad","description":"Does it.","inputSchema":{"type":"object","properties":{}},"outputSchema":null}`),
		[]byte(tool(strings.Repeat("n", 100), empty)), []byte(`{"name":"inside","description":"For the app.","inputSchema":{"type":"object","properties":{}},"_meta":{"ui":{"visibility":["app"]}}}`),
	}})
	at := func(row int, host string) modelview.Cell { return m.Rows[row].Cells[slices.Index(modelview.IDs, host)] }
	for _, tt := range []struct {
		row  int
		host string
		want modelview.Cell
	}{
		{0, "cursor", modelview.LostWith},
		{1, "cursor", modelview.NoList},
		{2, "cursor", modelview.LeftOut},
		{0, "vscode", modelview.Given},
		{1, "vscode", modelview.Given},
		{2, "vscode", modelview.LeftOut},
		{0, "openai", modelview.LostWith},
		{2, "openai", modelview.Refused},
		{0, "go-sdk", modelview.Given},
		{1, "plain", modelview.Warned},
		{3, "vscode", modelview.Withheld},
	} {
		if got := at(tt.row, tt.host); got != tt.want {
			t.Errorf("tool %d in %s: %d, want %d", tt.row, tt.host, got, tt.want)
		}
	}
	if want := "/outputSchema null is not an object (5 hosts)"; m.Rows[1].Reason != want {
		t.Errorf("the reason is %q, want %q", m.Rows[1].Reason, want)
	}
	if m.Lost != 3 {
		t.Errorf("%d tools are lost, want 3", m.Lost)
	}
	// Each lost cell has a cause whose hosts include the host of the cell. The worst causes come first.
	for i := range m.Rows {
		for j, cell := range m.Rows[i].Cells {
			if cell == modelview.Given || cell == modelview.LostWith || cell == modelview.Withheld {
				continue
			}
			if !slices.ContainsFunc(m.Rows[i].Causes, func(c int) bool {
				return m.Causes[c].Cell == cell && slices.Contains(m.Causes[c].Hosts, modelview.IDs[j])
			}) {
				t.Errorf("nothing explains tool %d in %s", i, modelview.IDs[j])
			}
		}
	}
	if !slices.IsSortedFunc(m.Causes, func(a, b modelview.Cause) int { return cmp.Compare(b.Cell, a.Cell) }) {
		t.Error("a cause comes after one that is less bad")
	}
}

// What a host does with changes and with large results is said of a server that it concerns.
func TestBuild_ChangesAndLargeResults(t *testing.T) {
	server := modelview.Server{Name: "s", Tools: [][]byte{[]byte(`{"name":"one","description":"One.","inputSchema":{"type":"object","properties":{}},"_meta":{"anthropic/maxResultSizeChars":900000}}`)}}
	for capabilities, concerned := range map[string]bool{`{"tools":{}}`: true, `{"tools":{"listChanged":true}}`: false, `{}`: false} {
		server.Initialize = []byte(`{"protocolVersion":"2025-06-18","capabilities":` + capabilities + `,"serverInfo":{"name":"s","version":"1"}}`)
		found := modelviewFound(modelview.Build(modelview.Named("claude-code"), server))
		if strings.Contains(found, " list-changed: ") != concerned || !strings.Contains(found, " result: ") {
			t.Errorf("%s:\n%s", capabilities, found)
		}
	}
}

// The hosts that do not give a whole result to a model are named with their limits, the smallest first.
func TestCutters(t *testing.T) {
	for n, want := range map[int]string{
		0:       "",
		8_192:   "",
		8_193:   "VS Code above 8,192 characters",
		45_000:  "VS Code above 8,192 characters, Copilot CLI 30,720, Codex CLI 40,000",
		1 << 30: "VS Code above 8,192 characters, Copilot CLI 30,720, Codex CLI 40,000, Claude Code 50,000, opencode 51,200",
	} {
		if got := modelview.Cutters(n); got != want {
			t.Errorf("%d characters: %q, want %q", n, got, want)
		}
	}
}

// What a host makes of a change of the tools depends on whether the server declares it, and of instructions on whether
// there are any.
func TestBuild_DeclaredServer(t *testing.T) {
	for initialize, want := range map[string]string{
		`{"capabilities":{"tools":{"listChanged":true}}}`: "list-ignored instructions-ignored",
		`{"capabilities":{"tools":{}}}`:                   "instructions-ignored",
	} {
		r := modelview.Build(modelview.Named("copilot-cli"), modelview.Server{Name: "s", Instructions: "Be brief.", Initialize: []byte(initialize)})
		var got []string
		for _, p := range r.Problems {
			got = append(got, p.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", initialize, got, want)
		}
	}
}
