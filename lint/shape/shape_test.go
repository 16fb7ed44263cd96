package shape_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint/shape"
)

// values are correct params, and the last is a correct result.
var values = []struct{ method, value string }{
	{"notifications/message", `{"level":"info","logger":"db","data":{"message":"query 5 finished","rows":5}}`},
	{"notifications/progress", `{"progressToken":4,"progress":1,"total":2,"message":"half"}`},
	{"tools/call", `{"name":"tool1","arguments":{"query":"tea 77","limit":5},"_meta":{"progressToken":7}}`},
	{"tools/call", `{"content":[{"type":"text","text":"result number 5, some words of it, which are longer than nothing"},{"type":"resource_link","uri":"file:///a/b/7","name":"b"}],"isError":false}`},
}

// definition is that of the value with an index.
func definition(i int) *shape.Object {
	d := shape.Of(revision.R20251125)
	if i == len(values)-1 {
		return d.Result(values[i].method)
	}
	return d.Params(values[i].method, revision.Both)
}

// found lists the faults of a value.
func found(o *shape.Object, value string) []string {
	var all []string
	var c shape.Checker
	c.Check(o, []byte(value), func(f *shape.Fault) {
		all = append(all, fmt.Sprintf("%d %s | %s | %s | %s", f.Problem, f.Path, f.Place, f.Expected, f.Value))
	})
	return all
}

func TestShape_Check_Faults(t *testing.T) {
	newer, older := shape.Of(revision.R20251125), shape.Of(revision.R20241105)
	for _, tt := range []struct {
		name  string
		o     *shape.Object
		value string
		want  []string
	}{
		{
			"type", newer.Params("notifications/progress", revision.Server), `{"progressToken":1,"progress":"1"}`,
			[]string{"0 /progress | `progress` of a progress notification | a number | \"1\""},
		},
		{
			"null", newer.Params("notifications/progress", revision.Server), `{"progressToken":null,"progress":1,"total":null}`,
			[]string{"0 /progressToken | `progressToken` of a progress notification | a string or an integer | null", "1 /total | `total` of a progress notification | a number | null"},
		},
		{
			"missing", newer.Result("prompts/get"), `{"messages":[{"role":"user"}]}`,
			[]string{"2 /messages/0/content | `content` of a prompt message | an object | "},
		},
		{
			"missing text of many", newer.Params("logging/setLevel", revision.Client), `{}`,
			[]string{"2 /level | `level` of a logging/setLevel request | one of 8 texts | "},
		},
		{
			"value", newer.Result("tools/list"), `{"tools":[{"name":"a","inputSchema":{"type":"object"},"execution":{"taskSupport":"x"}}]}`,
			[]string{"3 /tools/0/execution/taskSupport | `taskSupport` of a tool execution | \"required\", \"forbidden\" or \"optional\" | \"x\""},
		},
		{
			"element", newer.Result("completion/complete"), `{"completion":{"values":["a",{}]}}`,
			[]string{"0 /completion/values/1 | an element of `values` of `completion` of a completion/complete result | a string | {"},
		},
		{
			"free name", newer.Params("prompts/get", revision.Client), `{"name":"p","arguments":{"a/b":1}}`,
			[]string{"0 /arguments/a~1b | a member of `arguments` of a prompts/get request | a string | 1"},
		},
		{
			"tag", older.Result("tools/call"), `{"content":[{"type":"audio","data":""}]}`,
			[]string{"3 /content/0/type | `type` of an element of `content` of a tools/call result | \"text\", \"image\" or \"resource\" | \"audio\""},
		},
		{
			"no tag", older.Result("tools/call"), `{"content":[{"text":""}]}`,
			[]string{"2 /content/0/type | `type` of an element of `content` of a tools/call result | \"text\", \"image\" or \"resource\" | "},
		},
		{
			"behind the tag", newer.Result("tools/call"), `{"content":[{"data":5,"type":"image","mimeType":"a/b"}]}`,
			[]string{"0 /content/0/data | `data` of image content | a string | 5"},
		},
		{
			"without tag", newer.Result("resources/read"), `{"contents":[{"uri":"a:b","blob":5}]}`,
			[]string{"0 /contents/0/blob | `blob` of blob resource contents | a string | 5"},
		},
		{
			"fraction", newer.Result("resources/list"), `{"resources":[{"uri":"a:b","name":"","size":1.5},{"uri":"a:b","name":"","size":15e-1},{"uri":"a:b","name":"","size":15.0}]}`,
			[]string{"0 /resources/0/size | `size` of a resource | an integer | 1.5", "0 /resources/1/size | `size` of a resource | an integer | 15e-1"},
		},
		{
			"names with escapes", newer.Result("completion/complete"), `{"c\u006fmpletion":{"v\u0061lues":[1]}}`,
			[]string{"0 /completion/values/0 | an element of `values` of `completion` of a completion/complete result | a string | 1"},
		},
		{"null in a union", shape.Of(revision.R20251125).Result("tasks/get"), `{"taskId":"t","status":"working","createdAt":"","lastUpdatedAt":"","ttl":null}`, nil},
		{"what is not defined", newer.Result("tools/list"), `{"tools":[],"_meta":{"a":null},"more":[null]}`, nil},
		{"cut off", newer.Result("tools/list"), `{"tools":[{"name":"a","inputSchema":{"type":"object"},"title":`, []string{"2 /tools | `tools` of a tools/list result | an array | "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := found(tt.o, tt.value); !slices.Equal(got, tt.want) {
				t.Errorf("%s\n%s\nwant\n%s", tt.value, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// A definition belongs to the side that sends the method.
func TestShape_Definitions_Sender(t *testing.T) {
	d := shape.Of(revision.R20251125)
	if d.Params("tools/call", revision.Server) != nil || d.Params("tools/call", revision.Client) == nil {
		t.Error("only clients call tools")
	}
	if d.Params("no/such", revision.Both) != nil || d.Result("no/such") != nil || shape.Of("2099-01-01") != nil {
		t.Error("what is unknown has no definition")
	}
}

// Each definition has at most as many members as there are bits, and each of its places a
// sentence without an empty part.
func TestShape_Definitions_Complete(t *testing.T) {
	for _, r := range revision.All() {
		d := shape.Of(r)
		for _, m := range revision.Methods(r, revision.Both) {
			for _, name := range []revision.Shape{revision.Shape(m.Name + ".params"), revision.Shape(m.Name + ".result")} {
				members := name.Members(r)
				if len(members) > 64 {
					t.Errorf("%s has %d members", name, len(members))
				}
				if len(members) == 0 {
					continue
				}
				var value []string
				for _, member := range members {
					value = append(value, fmt.Sprintf("%q:{\"\":[null]}", member.Name))
				}
				for _, line := range found(d.Named(name), "{"+strings.Join(value, ",")+"}") {
					if strings.Contains(line, "| |") || strings.Contains(line, "``") {
						t.Errorf("%s: %s", name, line)
					}
				}
			}
		}
	}
}

// Several engines may compile the same definitions at once.
func TestShape_Of_Concurrent(t *testing.T) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, r := range revision.All() {
				if got := found(shape.Of(r).Params("notifications/progress", revision.Server), `{"progressToken":1,"progress":1,"total":2}`); got != nil {
					t.Error(got)
				}
			}
		})
	}
	all.Wait()
}

// What is correct costs no allocation.
func TestShape_Check_NoAllocation(t *testing.T) {
	for i, v := range values {
		raw, o := []byte(v.value), definition(i)
		var c shape.Checker
		if n := testing.AllocsPerRun(100, func() { c.Check(o, raw, nil) }); n != 0 {
			t.Errorf("%s: %v allocations", v.method, n)
		}
	}
}

// BenchmarkShape compares correct values with their definitions; scan, the baseline, reads
// the same bytes as a frame.
func BenchmarkShape(b *testing.B) {
	for i, v := range values {
		raw, o := []byte(v.value), definition(i)
		b.Run(fmt.Sprintf("scan/%s-%d", strings.ReplaceAll(v.method, "/", "-"), i), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				jsonrpc.Scan(raw)
			}
		})
		b.Run(fmt.Sprintf("check/%s-%d", strings.ReplaceAll(v.method, "/", "-"), i), func(b *testing.B) {
			var c shape.Checker
			b.ReportAllocs()
			for b.Loop() {
				c.Check(o, raw, nil)
			}
		})
	}
}

// FuzzShape_Check compares any bytes with each definition.
func FuzzShape_Check(f *testing.F) {
	for _, v := range values {
		f.Add([]byte(v.value))
	}
	for _, odd := range []string{`{`, `{"tools":[`, `{"tools":[}`, `{"a" 1}`, `{"content":[{"type":`, `{"contents":[{"uri":"\ud800","":[[[[`, `{"level":"\u0`, "{\"data\"\x01"} {
		f.Add([]byte(odd))
	}
	var all []*shape.Object
	for _, r := range revision.All() {
		d := shape.Of(r)
		for _, m := range revision.Methods(r, revision.Both) {
			all = append(all, d.Params(m.Name, revision.Both), d.Result(m.Name))
		}
	}
	all = slices.DeleteFunc(all, func(o *shape.Object) bool { return o == nil })
	f.Fuzz(func(t *testing.T, value []byte) {
		var c shape.Checker
		for _, o := range all {
			c.Check(o, value, func(f *shape.Fault) {
				if f.Path == "" || f.Place == "" || f.Expected == "" || f.Member == "" {
					t.Errorf("%+v", f)
				}
			})
		}
	})
}

// Of a message with very many faults only the first ones are reported.
func TestShape_Check_ManyFaults(t *testing.T) {
	tools := shape.Of(revision.R20251125).Result("tools/list")
	all := found(tools, `{"tools":[`+strings.TrimSuffix(strings.Repeat("{},", 5000), ",")+`]}`)
	if len(all) != 1000 {
		t.Errorf("%d faults are reported", len(all))
	}
	if again := found(tools, `{"tools":[{}]}`); len(again) == 0 || again[0] != all[0] {
		t.Errorf("of the next message %q is reported", again)
	}
}
