package directory_test

import (
	"slices"
	"strings"
	"testing"

	"mcptea/check/directory"
	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
)

// server is one with tools, given as JSON objects.
func server(definitions ...string) *probe.Server {
	s := &probe.Server{Lists: map[string]*probe.List{"tools": {}}}
	for _, raw := range definitions {
		t := probe.Tool{Name: jsonrpc.Text([]byte(raw), "name"), Raw: []byte(raw)}
		t.Input, t.Output = jsonrpc.Get(t.Raw, "inputSchema"), jsonrpc.Get(t.Raw, "outputSchema")
		s.Tools = append(s.Tools, t)
	}
	return s
}

func find(t *testing.T, reports []probe.Report, id string) probe.Report {
	t.Helper()
	i := slices.IndexFunc(reports, func(r probe.Report) bool { return r.Entry.ID == id })
	if i < 0 {
		t.Fatalf("no report of %s", id)
	}
	return reports[i]
}

func TestDirectory_Judge_Tools(t *testing.T) {
	for _, c := range []struct {
		id, tool string
		verdict  probe.Verdict
		contains string
	}{
		{"DIR-01", `{"name":"a","title":" "}`, probe.Fail, "1 tool without a title: a."},
		{"DIR-01", `{"name":"a","annotations":{"title":"A"}}`, probe.Pass, ""},
		{"DIR-02", `{"name":"a"}`, probe.Fail, "on the wire: a."},
		{"DIR-02", `{"name":"a","annotations":{"readOnlyHint":"true"}}`, probe.Fail, "on the wire: a."},
		{"DIR-02", `{"name":"a","annotations":{"readOnlyHint":true,"destructiveHint":true}}`, probe.Fail, "both readOnlyHint and destructiveHint"},
		{"DIR-02", `{"name":"a","annotations":{"destructiveHint":false}}`, probe.Pass, ""},
		// A hint is never taken from a name, nor denied because of one.
		{"DIR-02", `{"name":"get_note"}`, probe.Fail, "on the wire: get_note."},
		{"DIR-02", `{"name":"delete_note"}`, probe.Fail, "on the wire: delete_note."},
		{"DIR-02", `{"name":"delete_note","annotations":{"readOnlyHint":true}}`, probe.Pass, ""},
		{"DIR-03", `{"name":"get_note","annotations":{"openWorldHint":false}}`, probe.Fail, "MCP assumes"},
		{"DIR-03", `{"name":"a","annotations":{"readOnlyHint":true,"destructiveHint":false}}`, probe.Fail, "MCP assumes"},
		{"DIR-03", `{"name":"a","annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false}}`, probe.Pass, ""},
		{"DIR-04", `{"name":"` + strings.Repeat("é", 64) + `"}`, probe.Pass, ""},
		{"DIR-04", `{"name":"` + strings.Repeat("é", 65) + `"}`, probe.Fail, "more than 64 characters"},
		{"DIR-05", `{"name":"a","inputSchema":{"properties":{"method":{"enum":["getNote","delete_note"]}}}}`, probe.Fail, "reading and writing: a."},
		{"DIR-05", `{"name":"a","inputSchema":{"properties":{"method":{"enum":["get","list"]}}}}`, probe.Pass, ""},
		{"DIR-05", `{"name":"a","inputSchema":{"properties":{"kind":{"enum":["settings","getter","addition"]}}}}`, probe.Pass, ""},
		{"DIR-05", `{"name":"a","inputSchema":{"properties":{"action":{"type":"string"}}}}`, probe.Pass, "free text"},
		{"DIR-06", `{"name":"a","description":""}`, probe.Fail, "without a description"},
		{"DIR-07", `{"name":"a"}`, probe.Warn, "without an output schema"},
		{"DIR-07", `{"name":"a","outputSchema":{"type":"object"}}`, probe.Pass, ""},
	} {
		r := find(t, directory.Judge(directory.Subject{Server: server(c.tool)}, directory.Names), c.id)
		message := ""
		if len(r.Findings) > 0 {
			message = r.Findings[0].Message
		}
		if r.Verdict != c.verdict || !strings.Contains(message, c.contains) || (c.contains == "") != (message == "") {
			t.Errorf("%s of %s: %s %q, want %s %q", c.id, c.tool, r.Verdict, message, c.verdict, c.contains)
		}
	}
}

// A part of the list says nothing of every tool, and no tools meet nothing.
func TestDirectory_Judge_IncompleteOrNoTools(t *testing.T) {
	part := server(`{"name":"a"}`)
	part.Lists["tools"].Problem = "page 3 is an error"
	for _, c := range []struct {
		server  *probe.Server
		verdict probe.Verdict
		why     string
	}{
		{part, probe.Failure, "the list of tools is incomplete: page 3 is an error"},
		{server(), probe.Skipped, "does not apply: the server has no tools"},
	} {
		if r := find(t, directory.Judge(directory.Subject{Server: c.server}, []string{"claude"}), "DIR-01"); r.Verdict != c.verdict || r.Why() != c.why {
			t.Errorf("%s %q, want %s %q", r.Verdict, r.Why(), c.verdict, c.why)
		}
	}
}

// What cannot be seen is never said to be met: what no judge is for, and what the check has no
// evidence of.
func TestDirectory_Judge_ByHandIsNotPassed(t *testing.T) {
	for _, r := range directory.Judge(directory.Subject{Server: server(`{"name":"a","_meta":{"ui":{"resourceUri":"ui://a"}}}`), URL: "https://a.test"}, directory.Names) {
		q := requirementOf(r)
		if hand := directory.PartOf(&r) == directory.ByHand; hand != (!hasJudge(t, q) || q.Flag != "") || hand && r.Verdict != probe.Skipped {
			t.Errorf("%s is %s, by hand %v", r.Entry.ID, r.Verdict, hand)
		}
	}
}

// hasJudge reports whether there is a judge for a requirement: without one it is by hand, also where
// nothing is known of a server.
func hasJudge(t *testing.T, q *directory.Requirement) bool {
	t.Helper()
	r := find(t, directory.Judge(directory.Subject{}, directory.Names), q.ID)
	return directory.PartOf(&r) != directory.ByHand
}

func requirementOf(r probe.Report) *directory.Requirement {
	all := directory.Requirements()
	return all[slices.IndexFunc(all, func(q *directory.Requirement) bool { return q.ID == r.Entry.ID })]
}

func TestDirectory_Judge_ServerJSON(t *testing.T) {
	for _, c := range []struct{ file, contains string }{
		{`{"packages":[{"registryType":"npm","identifier":"x"}]}`, ""},
		{`{"packages":[{"registryType":"npm","registryBaseUrl":"https://registry.npmjs.org","identifier":"x"}],"_meta":{"io.modelcontextprotocol.registry/publisher-provided":{}}}`, ""},
		{`{"packages":[{"registryType":"oci","identifier":"ghcr.io/a/b:1"}]}`, ""},
		{`{"packages":[{"registryType":"oci","identifier":"a/b:1"}]}`, ""},
		{`{"packages":[{"registryType":"oci","identifier":"eu.pkg.dev/a/b:1"}]}`, ""},
		{`{"packages":[{"registryType":"oci","identifier":"evilpkg.dev/a/b:1"}]}`, "evilpkg.dev is not"},
		{`{"packages":[{"registryType":"mcpb","identifier":"https://example.com/x.mcpb"}]}`, "example.com is not"},
		{`{"packages":[{"registryType":"cargo","identifier":"x"}]}`, `the registry type "cargo" is not accepted`},
		{`{"_meta":{"other":{}}}`, "_meta.other is dropped"},
		{`{"_meta":{"io.modelcontextprotocol.registry/publisher-provided":"` + strings.Repeat("x", 4096) + `"}}`, "at most 4096 are accepted"},
	} {
		got := ""
		if r := find(t, directory.Judge(directory.Subject{File: []byte(c.file)}, []string{"registry"}), "DIR-15"); len(r.Findings) > 0 {
			got = r.Findings[0].Message
		} else if r.Verdict != probe.Pass {
			t.Errorf("%s: %s %s", c.file, r.Verdict, r.Why())
		}
		if !strings.Contains(got, c.contains) || (c.contains == "") != (got == "") {
			t.Errorf("%s: %q, want %q", c.file, got, c.contains)
		}
	}
}

func TestDirectory_Requirements_AreWhole(t *testing.T) {
	for _, r := range directory.Requirements() {
		if r.Judge != "" && (!hasJudge(t, r) || r.Fix == "" || r.Level == "") {
			t.Errorf("%s is judged by %q, level %q, fix %q", r.ID, r.Judge, r.Level, r.Fix)
		}
		if !strings.HasPrefix(r.Source, "https://") || r.Date == "" || len(r.Directories) == 0 {
			t.Errorf("%s has no source, date or directory", r.ID)
		}
	}
}

// In a session there are no flags, and what was not looked at is not said to be without fault.
func TestDirectory_Judge_InSession(t *testing.T) {
	const app = `{"name":"a","_meta":{"ui":{"resourceUri":"ui://a"}}}`
	all, part := server(app), server(app)
	all.Handshake.ServerCaps = []byte(`{"extensions":{"io.modelcontextprotocol/skills":{}}}`)
	all.Lists["skills"] = &probe.List{Items: [][]byte{skillOf("a", 1)}}
	all.Lists["resources"] = &probe.List{Problem: "resources/list was not read"}
	part.Lists["tools"].Problem = "page 3 is an error"
	for _, c := range []struct {
		server   *probe.Server
		id, part string
		contains string
	}{
		{all, "DIR-08", directory.ByHand, "calls end within 300 s"},
		{all, "DIR-10", directory.Unseen, "the probes of authorization have not run"},
		{all, "DIR-12", directory.ByHand, "serves the token of the submission"},
		{all, "DIR-13", directory.Unseen, "the list of resources is incomplete"},
		{all, "DIR-14", directory.ByHand, "10 pages; of this only the number of pages is not known"},
		{all, "DIR-15", directory.Unseen, "mcptea check --directory registry FILE reads the server.json"},
		{part, "DIR-13", directory.Unseen, "the list of tools is incomplete"},
		{part, "DIR-17", directory.Unseen, "the list of tools is incomplete"},
		{nil, "DIR-01", directory.Unseen, "the server was not connected"},
	} {
		r := find(t, directory.Judge(directory.Subject{Server: c.server, URL: "https://a.test", InSession: true}, directory.Names), c.id)
		if got := directory.PartOf(&r); got != c.part || !strings.Contains(r.Why(), c.contains) || strings.Contains(r.Why(), "; --") {
			t.Errorf("%s is %s, %q, want %s, %q", c.id, got, r.Why(), c.part, c.contains)
		}
	}
	if _, ok := directory.Lookup("DIR-20"); ok {
		t.Error("there is a requirement DIR-20")
	}
}
