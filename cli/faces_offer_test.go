package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcptea/agent"
	"mcptea/client"
	"mcptea/internal/test/panetest"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/pane/browse"
)

// An offering is a server of [TestFaces_Offer]: the results of its lists, by method and cursor, and the facts that faces
// show of them, which are the number of entries of each list and their names in order. A list that is absent has no fact.
type offering struct {
	results map[string]string
	want    facts
}

var offerings = map[string]offering{
	"pages, and entries that are invalid": {
		map[string]string{
			"tools/list":               `{"tools":[{"name":"alpha","inputSchema":{"type":"object"}},{"name":"beta","title":"B","inputSchema":{"type":"object"}}],"nextCursor":"2"}`,
			"tools/list 2":             `{"tools":[{"name":"alpha","inputSchema":{"type":"object"}},7,{"title":"Titled","inputSchema":{"type":"object"}}]}`,
			"resources/list":           `{"resources":[{"uri":"x:one","name":"one"},{"uri":"x:two","name":"two"},{"uri":"x:one","name":"again"}]}`,
			"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"x:{y}","name":"any"}]}`,
			"prompts/list":             `{"prompts":[]}`,
		},
		facts{
			"tools": "5", "resources": "3", "templates": "1", "prompts": "0", "resources tab": "4",
			"tools named": "alpha beta alpha without-a-name Titled", "resources named": "x:one x:two x:one", "templates named": "x:{y}", "prompts named": "",
			"tools labels": "alpha beta alpha without-a-name Titled", "resources labels": "one two again any", "prompts labels": "",
		},
	},
	"resources without templates": {
		map[string]string{"tools/list": `{"tools":[]}`, "resources/list": `{"resources":[{"uri":"x:one","name":"one"}]}`, "prompts/list": `{"prompts":[{"name":"p"}]}`},
		facts{
			"tools": "0", "resources": "1", "prompts": "1", "resources tab": "1", "tools named": "", "resources named": "x:one", "prompts named": "p", "templates named": "",
			"tools labels": "", "resources labels": "one", "prompts labels": "p",
		},
	},
}

// serve starts the server. A method without a result is unknown to it.
func (o offering) serve(t *testing.T) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		var request struct{ Params struct{ Cursor string } }
		_ = json.Unmarshal(body, &request) // the request of a test
		overHTTP(func(w http.ResponseWriter, method, id string) (string, bool) {
			if method != "initialize" {
				result := o.results[strings.TrimSpace(method+" "+request.Params.Cursor)]
				if result == "" {
					_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, id)
				}
				return result, result == ""
			}
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"prompts":{}},"serverInfo":{"name":"s","version":"1"}}}`, id)
			return "", true
		}).ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// offerFaces show how many entries the lists of a server have, or which.
var offerFaces = map[string]func(t *testing.T, url string) facts{
	"info": func(t *testing.T, url string) facts {
		stdout, _, _ := called(t, "info", url)
		_, stdout, _ = strings.Cut(stdout, "\nlists\n")
		return countedLists(regexp.MustCompile(`(?m)^  (\w+) +(\d+)$`).FindAllStringSubmatch(stdout, -1))
	},
	"info --json": func(t *testing.T, url string) facts {
		var doc struct {
			Counts map[string]int    `json:"counts"`
			Errors map[string]string `json:"list_errors"`
		}
		unmarshalOf(t, &doc, "info", "--json", url)
		if len(doc.Errors) > 0 {
			t.Errorf("errors: %v", doc.Errors)
		}
		got := facts{}
		for kind, n := range doc.Counts {
			got[kind] = digits(n)
		}
		return got
	},
	"list": func(t *testing.T, url string) facts {
		stdout, _, _ := called(t, "list", url)
		got := countedLists(regexp.MustCompile(`(?m)^(\w+) \((\d+)\)$`).FindAllStringSubmatch(stdout, -1))
		for kind := range maps.Clone(got) {
			_, rows, _ := strings.Cut(stdout, kind+" ("+got[kind]+")\n")
			rows, _, _ = strings.Cut(rows, "\n\n")
			if got[kind] == "0" {
				rows = "" // what follows is the next list
			}
			got[kind+" named"] = firstCells(rows)
		}
		return got
	},
	"list KIND": func(t *testing.T, url string) facts {
		got := facts{}
		for _, kind := range []string{"tools", "resources", "templates", "prompts"} {
			stdout, _, _ := called(t, "list", kind, url)
			got[kind+" named"] = firstCells(stdout)
		}
		return got
	},
	"list --json": func(t *testing.T, url string) facts {
		var doc map[string][]json.RawMessage
		unmarshalOf(t, &doc, "list", "--json", url)
		got := facts{}
		for kind, entries := range doc {
			names := ""
			for _, raw := range entries {
				var e struct{ Name, Title, URI, URITemplate string }
				_ = json.Unmarshal(raw, &e) // one is not an object
				names += cmp.Or(e.URI+e.URITemplate, e.Name, e.Title, "without a name") + "\n"
			}
			got[kind], got[kind+" named"] = digits(len(entries)), firstCells(names)
		}
		return got
	},
	"the tools of mcptea mcp": agentOffer,
	"the tabs of the lists":   listTabs,
}

// countedLists are matches whose groups are the name of a list and a number.
func countedLists(found [][]string) facts {
	got := facts{}
	for _, m := range found {
		got[m[1]] = m[2]
	}
	return got
}

// firstCells returns the first cells of rows in one line, with hyphens for their blanks.
func firstCells(rows string) string {
	var names []string
	for row := range strings.Lines(rows) {
		cell, _, _ := strings.Cut(strings.TrimSuffix(row, "\n"), cells)
		names = append(names, strings.ReplaceAll(cell, " ", "-"))
	}
	return strings.Join(names, " ")
}

// agentOffer asks the tools connect and list of mcptea mcp.
func agentOffer(t *testing.T, url string) facts {
	in, requests := io.Pipe()
	responses, out := io.Pipe()
	ended := make(chan error)
	go func() {
		ended <- agent.Serve(t.Context(), in, out, agent.Options{Given: &client.Target{URL: url}, Open: func(target client.Target, _ string) (*session.Session, error) {
			return session.Open(session.Config{Target: target, Record: "off"})
		}})
		_ = out.Close()
	}()
	lines := bufio.NewReader(responses)
	call := func(id int, method, params string) (result json.RawMessage) {
		if _, err := fmt.Fprintf(requests, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
			t.Fatal(err)
		}
		var response struct {
			ID     int
			Result struct{ StructuredContent json.RawMessage }
		}
		for response.ID != id {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				t.Fatal(err)
			}
			response.ID = 0
			if err := json.Unmarshal(line, &response); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
		}
		return response.Result.StructuredContent
	}
	call(1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	got := facts{}
	for i, kind := range []string{"tools", "resources", "templates", "prompts"} {
		var listed struct {
			Total   int      `json:"total"`
			Entries []string `json:"server_entries"`
		}
		raw := call(2+i, "tools/call", `{"name":"list","arguments":{"kind":"`+kind+`"}}`)
		if err := json.Unmarshal(raw, &listed); err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		if kind != "templates" || listed.Total > 0 { // the tool does not tell an absent list from an empty one
			got[kind] = digits(listed.Total)
		}
		names := ""
		for _, entry := range listed.Entries {
			name, _, _ := strings.Cut(entry, ": ")
			names += name + "\n"
		}
		got[kind+" named"] = firstCells(names)
	}
	_ = requests.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return got
}

// listTabs paints the panes of the lists.
func listTabs(t *testing.T, url string) facts {
	s, err := session.Open(session.Config{Target: client.Target{URL: url}, Record: "off", Lists: client.ListKinds})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.WithoutCancel(t.Context())) }()
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Until(t.Context(), func() bool {
		return !slices.ContainsFunc(client.ListKinds, func(k client.ListKind) bool { return s.State().Lists[k.Name].Loading })
	}); err != nil {
		t.Fatal(err)
	}
	got := facts{}
	for _, kind := range []string{"tools", "resources", "prompts"} {
		program := panetest.New(t)
		p := browse.New(program, s, kind, browse.Options{})
		program.Pane = p
		p.Refresh(app.Tick{State: s.State()})
		screen := program.Paint(160, 24, true)
		key := kind
		if kind == "resources" {
			key = "resources tab" // with the templates
		}
		got[key] = "0"
		if m := regexp.MustCompile(`^╭[^┬]* (\d+) ─┬`).FindStringSubmatch(screen); m != nil {
			got[key] = m[1]
		}
		if strings.Contains(screen, "not found") {
			t.Errorf("an error is shown:\n%s", screen)
		}
		names := ""
		for _, m := range regexp.MustCompile(`(?m)^│(?:▌ {2}| {3})(\S(?: ?\S)*)`).FindAllStringSubmatch(screen, -1) {
			names += m[1] + "\n"
		}
		got[kind+" labels"] = firstCells(names)
	}
	return got
}

// TestFaces_Offer asks each face for the number and the names of the entries of the same lists.
func TestFaces_Offer(t *testing.T) {
	for _, server := range slices.Sorted(maps.Keys(offerings)) {
		o := offerings[server]
		url := o.serve(t)
		for _, name := range slices.Sorted(maps.Keys(offerFaces)) {
			t.Run(server+"/"+name, func(t *testing.T) {
				got := offerFaces[name](t, url)
				for fact, value := range got {
					if want, known := o.want[fact]; value != want || !known && value != "" {
						t.Errorf("%s is %q, want %q", fact, value, want)
					}
				}
				if len(got) == 0 {
					t.Error("it shows no fact")
				}
			})
		}
	}
}
