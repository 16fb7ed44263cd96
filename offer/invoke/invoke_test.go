package invoke_test

import (
	"net/http"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/internal/shell"
	"mcptea/offer"
	"mcptea/offer/invoke"
)

// items are of the lists, as servers send them.
var items = map[string]offer.Item{
	"tools": offer.NewItem("tools", []byte(`{"name":"add","inputSchema":{"type":"object","properties":{
		"a":{"type":"number"},"text":{"type":"string"},"flag":{"type":"boolean"},"any":{}},"required":["a"]}}`)),
	"resources": offer.NewItem("resources", []byte(`{"uri":"demo://readme","name":"readme"}`)),
	"templates": offer.NewItem("templates", []byte(`{"uriTemplate":"demo://users/{id}{?q}","name":"users"}`)),
	"prompts": offer.NewItem("prompts", []byte(`{"name":"greet","arguments":[
		{"name":"who","title":"Who","required":true},{"name":"tone"}]}`)),
}

func TestInvoke_Shapes_Params(t *testing.T) {
	tests := []struct{ list, args, method, want string }{
		{"tools", `{"a":1}`, "tools/call", `{"name":"add","arguments":{"a":1}}`},
		{"tools", ``, "tools/call", `{"name":"add"}`},
		{"resources", ``, "resources/read", `{"uri":"demo://readme"}`},
		{"templates", `{"id":"7 8","q":"x"}`, "resources/read", `{"uri":"demo://users/7%208?q=x"}`},
		{"prompts", `{"who":"Ada"}`, "prompts/get", `{"name":"greet","arguments":{"who":"Ada"}}`},
	}
	for _, tt := range tests {
		s := invoke.Shapes[tt.list]
		got, err := s.Params(items[tt.list], []byte(tt.args))
		if err != nil || string(got) != tt.want || s.Method != tt.method {
			t.Errorf("%s: %s %s, %v; want %s %s", tt.list, s.Method, got, err, tt.method, tt.want)
		}
	}
}

func TestInvoke_Shapes_Form(t *testing.T) {
	tests := []struct {
		name, list, raw string
		fields          string
		closed          bool
		unclear         string
	}{
		{name: "a tool", list: "tools", fields: "a* text flag any"},
		{name: "a tool without a schema", list: "tools", raw: `{"name":"x"}`, unclear: "no inputSchema"},
		{name: "a resource", list: "resources", closed: true},
		{name: "a template", list: "templates", fields: "id q"},
		{name: "what is no template", list: "templates", raw: `{"uriTemplate":"demo://{","name":"x"}`, unclear: "not a URI template"},
		{name: "a prompt", list: "prompts", fields: "who* tone"},
		{name: "a prompt without arguments", list: "prompts", raw: `{"name":"x"}`, closed: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			it := items[tt.list]
			if tt.raw != "" {
				it = offer.NewItem(tt.list, []byte(tt.raw))
			}
			s := invoke.Shapes[tt.list]
			f := s.Form(it)
			var names []string
			for _, fd := range f.Fields {
				name := fd.Name
				if fd.Required {
					name += "*"
				}
				names = append(names, name)
			}
			if got := strings.Join(names, " "); got != tt.fields || f.Closed != tt.closed || !strings.Contains(f.Unclear, tt.unclear) || f.Unclear != "" && tt.unclear == "" {
				t.Errorf("fields %q, closed %v, unclear %q", got, f.Closed, f.Unclear)
			}
		})
	}
}

// An empty text is as good as none for a required argument of a prompt.
func TestInvoke_Shapes_RequiredArgumentOfAPromptIsNotEmpty(t *testing.T) {
	s := invoke.Shapes["prompts"]
	f := s.Form(items["prompts"])
	if errs := f.Check([]byte(`{"who":""}`)); len(errs) != 1 {
		t.Errorf("got %v", errs)
	}
	if errs := f.Check([]byte(`{"who":"Ada","tone":""}`)); len(errs) != 0 {
		t.Errorf("got %v", errs)
	}
}

func TestInvoke_Shape_Line(t *testing.T) {
	server := client.Target{Argv: []string{"./server"}}
	odd := func(name string) offer.Item {
		return offer.NewItem("tools", []byte(`{"name":"`+name+`","inputSchema":{"type":"object"}}`))
	}
	tests := []struct {
		name, list, args string
		item             *offer.Item
		command          invoke.Command
		want             string
	}{
		{name: "a tool", list: "tools", args: `{"a":1.5,"text":"hello","flag":true}`, want: "mcptea call add a=1.5 text=hello flag=true -- ./server"},
		{
			name: "what the schema would change", list: "tools", args: `{"a":1e1,"text":"@x","any":"1","b":[1]}`,
			want: `mcptea call add a=1e1 text:="@x" any:="1" b:=[1] -- ./server`,
		},
		{name: "names that would be misread", list: "tools", args: `{"a=b":1}`, want: `mcptea call add {"a=b":1} -- ./server`},
		{name: "a name twice", list: "tools", args: `{"a":1,"a":2}`, want: `mcptea call add {"a":1,"a":2} -- ./server`},
		{name: "a resource", list: "resources", want: "mcptea read demo://readme -- ./server"},
		{name: "a template", list: "templates", args: `{"id":"7"}`, want: "mcptea read demo://users/7 -- ./server"},
		{name: "a prompt", list: "prompts", args: `{"who":"Ada"}`, want: "mcptea prompt greet who=Ada -- ./server"},
		{name: "a task", list: "tools", args: `{}`, command: invoke.Command{Task: true, TTL: 90e9}, want: "mcptea call add --task --ttl 1m30s -- ./server"},
	}
	for _, name := range []string{"", "-x", "http://x", "https://x"} {
		it := odd(name)
		tests = append(tests, struct {
			name, list, args string
			item             *offer.Item
			command          invoke.Command
			want             string
		}{name: "the name " + name, list: "tools", args: `{}`, item: &it, want: "mcptea call --tool=" + name + " -- ./server"})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, it := invoke.Shapes[tt.list], items[tt.list]
			if tt.item != nil {
				it = *tt.item
			}
			f := s.Form(it)
			tt.command.Form, tt.command.Target = &f, server
			line, err := s.Line(tt.command, it, []byte(tt.args))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(line.Words(), " "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestInvoke_Shape_LineWithoutAnObject(t *testing.T) {
	s := invoke.Shapes["tools"]
	f := s.Form(items["tools"])
	for _, args := range []string{``, `[]`, `{`, `1`} {
		if line, err := s.Line(invoke.Command{Form: &f}, items["tools"], []byte(args)); err == nil {
			t.Errorf("%q: %q", args, line.Words())
		}
	}
}

// A token that was set in the session takes the place of the credentials before it.
func TestInvoke_Shape_LineHasTheNewestToken(t *testing.T) {
	target := client.Target{URL: "https://example.com/mcp", Header: http.Header{"Authorization": {"Bearer new-token"}}}
	tests := []struct {
		name  string
		flags []shell.Flag
		want  string
	}{
		{"none before", nil, "--token new-token"},
		{"another", []shell.Flag{{Name: "token", Value: "old", Variable: "MCPTEA_TOKEN"}}, "--token new-token"},
		{"a header", []shell.Flag{{Name: "header", Value: "authorization: Bearer old"}, {Name: "header", Value: "X-A: 1"}}, "--header X-A: 1 --token new-token"},
		{"the same", []shell.Flag{{Name: "header", Value: "Authorization: Bearer new-token"}}, "--header Authorization: Bearer new-token"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := invoke.Shapes["resources"]
			line, err := s.Line(invoke.Command{Flags: tt.flags, Target: target}, items["resources"], nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.Join(line.Words(), " "), "mcptea read demo://readme "+tt.want+" --url https://example.com/mcp"; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if text, err := line.For(shell.POSIX); err != nil || strings.Contains(text, "new-token") {
				t.Errorf("the secret is in the text: %s, %v", text, err)
			}
		})
	}
}
