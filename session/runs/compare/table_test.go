package compare

import (
	"fmt"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/session/offer"
)

// said is a run of a server that said this.
func said(r revision.Revision, caps string, tools ...string) Run {
	run := Run{Revision: r, Outcome: Spoken, Handshake: client.Handshake{Revision: r, ServerCaps: []byte(caps)}}
	if tools != nil {
		l := offer.List{Offered: true}
		for _, raw := range tools {
			l.Items = append(l.Items, offer.Item{Kind: "tools", Raw: []byte(raw)})
		}
		run.Lists = map[string]offer.List{"tools": l}
	}
	return run
}

func TestDifferences(t *testing.T) {
	const old, young = revision.R20241105, revision.R20251125
	for _, tt := range []struct {
		name string
		runs []Run
		want string
	}{
		{
			"nothing: blanks and the order of members do not count",
			[]Run{said(old, `{"tools":{}}`, `{"name":"a","inputSchema":{"type":"object","x":[1,2]}}`), said(young, `{ "tools": { } }`, `{"inputSchema": {"x":[1, 2],"type":"object"}, "name":"a"}`)},
			"",
		},
		{
			"a capability, its member, and an unknown one",
			[]Run{said(old, `{"tools":{"listChanged":true}}`), said(young, `{"tools":{"listChanged":false},"tasks":{"list":{}},"tea":{"hot":true}}`)},
			"capabilities tools listChanged : + +\ncapabilities tasks  : - +\ncapabilities tea  : - !\ncapabilities tea hot : . !\n",
		},
		{
			"a capability before its time, and members after it",
			[]Run{said(old, `{"completions":{}}`), said(young, `{"completions":{"odd":1}}`)},
			"capabilities completions  : ! +\ncapabilities completions odd : - !\n",
		},
		{
			"an entry, and the place in another one",
			[]Run{said(old, `{}`, `{"name":"a","inputSchema":{"properties":{"n":{"type":"number"},"m":{}}}}`, `{"name":"b"}`), said(young, `{}`, `{"name":"a","inputSchema":{"properties":{"n":{"type":"integer"},"m":{}}}}`)},
			"tools a inputSchema.properties.n.type : + +\ntools b  : + -\n",
		},
		{
			"what the revision does not define, the same everywhere",
			[]Run{said(old, `{}`, `{"name":"a","title":"A"}`), said(young, `{}`, `{"name":"a","title":"A"}`)},
			"tools a title : ! +\n",
		},
		{
			"and further down, where a table goes",
			[]Run{said(revision.R20250326, `{}`, `{"name":"a","annotations":{"title":"A","hot":true}}`), said(young, `{}`, `{"name":"a","annotations":{"title":"A","hot":true}}`)},
			"tools a annotations.hot : ! !\n",
		},
		{
			"several say the same in one row",
			[]Run{said(old, `{}`, `{"name":"a"}`, `{"name":"b"}`, `{"name":"c"}`), said(young, `{}`, `{"name":"a","title":"A"}`, `{"name":"b","title":"B"}`, `{"name":"c","title":"C"}`)},
			"tools a,b,c title : - +\n",
		},
		{
			"unless their values differ in ways of their own",
			[]Run{said(old, `{}`, `{"name":"a","description":"1"}`, `{"name":"b","description":"2"}`, `{"name":"c","description":"3"}`), said(young, `{}`, `{"name":"a","description":"4"}`, `{"name":"b","description":"5"}`, `{"name":"c","description":"6"}`)},
			"tools a description : + +\ntools b description : + +\ntools c description : + +\n",
		},
		{
			"arrays of one length by element, others as a whole",
			[]Run{said(old, `{}`, `{"name":"a","x":[1,{"y":2}],"z":[1]}`), said(young, `{}`, `{"name":"a","x":[1,{"y":3}],"z":[1,2]}`)},
			"tools a x[1].y : ! !\ntools a z : ! !\n",
		},
		{
			"two of one name",
			[]Run{said(old, `{}`, `{"name":"a"}`, `{"name":"a"}`), said(young, `{}`, `{"name":"a"}`)},
			"tools a (2)  : + -\n",
		},
		{
			"a list that one does not offer says nothing of entries",
			[]Run{said(old, `{}`, `{"name":"a"}`), said(young, `{}`)},
			"",
		},
	} {
		if got := all(tabulate(tt.runs).Notable); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestNamesThatArePathsAreQuoted(t *testing.T) {
	if got := step(step("_meta", "io.example/tea"), "hot"); got != `_meta["io.example/tea"].hot` {
		t.Error(got)
	}
}

func TestShorten(t *testing.T) {
	long := strings.Repeat("the same words ", 20)
	for _, tt := range []struct {
		values []string
		want   []string
	}{
		{[]string{`true`, `"plain"`, `"true"`}, []string{`true`, `plain`, `"true"`}},
		{[]string{`"` + long + `left"`, `"` + long + `right"`}, []string{"… same words left", "… same words right"}},
		{[]string{`"` + long + `"`}, []string{long[:40] + "…"}},
		{[]string{`"` + strings.Repeat("ä", 60) + `x"`, `"` + strings.Repeat("ä", 60) + `y"`}, []string{"…ääääääx", "…ääääääy"}},
	} {
		var values [][]byte
		for _, v := range tt.values {
			values = append(values, []byte(v))
		}
		for i, got := range Shorten(values, 40, "…") {
			if got != tt.want[i] {
				t.Errorf("%.30s: got %q, want %q", tt.values[i], got, tt.want[i])
			}
		}
	}
}

func BenchmarkManyTools(b *testing.B) {
	var tools []string
	for i := range 5000 {
		tools = append(tools, fmt.Sprintf(`{"name":"tool-%d","title":"T","description":"does %d","inputSchema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}}}}`, i, i))
	}
	var runs []Run
	for _, r := range revision.All() {
		runs = append(runs, said(r, `{"tools":{}}`, tools...))
	}
	for b.Loop() {
		if t := tabulate(runs); len(t.Notable) != 1 {
			b.Fatal(len(t.Notable))
		}
	}
}
