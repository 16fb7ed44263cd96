package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/client/transport"
	"mcptea/internal/schema/check"
	"mcptea/lint"
	"mcptea/record"
)

// sample is a report with everything in it.
func sample() probe.Report {
	return probe.Report{
		Entry:   &probe.Entry{ID: "P-050", Slug: "tool-unknown", Group: "tools", Level: probe.Must, Spec: "server/tools#error-handling"},
		Verdict: probe.Fail, Revision: "2025-11-25", Transport: "stdio", Took: 3 * time.Millisecond, Sent: 1,
		Measure: map[string]float64{"p50": 0.5},
		Findings: []probe.Finding{{
			Severity: record.SeverityError, Case: "a call of an unknown tool", Subject: "tool:x", Message: "It returns a <result>.", Hint: "Return an error.",
			Frames: []probe.Frame{{Seq: 4, Conn: 1, Dir: transport.In, Bytes: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), Size: 5000, After: true, Place: "/result"}},
			Exit:   &probe.Exit{Code: -1, Signal: "SIGSEGV", Stderr: []string{"panic: x"}},
		}},
	}
}

func TestReport_JSON_MatchesSchema(t *testing.T) {
	schema := check.Compile([]byte(report.Schema), check.Options{})
	if p := schema.Problem(); p != nil {
		t.Fatalf("the schema is not valid: %s %s", p.Path, p.Reason)
	}
	r := sample()
	skipped := probe.Report{Entry: r.Entry, Verdict: probe.Skipped, Reason: probe.OtherTransport, Revision: "2024-11-05", Transport: "sse"}
	reports := []probe.Report{r, skipped}
	for _, id := range []string{"DIR-01", "CARD-01"} { // of requirements of directories, and of server cards
		other := sample()
		other.Entry.ID = id
		reports = append(reports, other)
	}
	for _, r := range reports {
		line, err := json.Marshal(report.LineOf(&r))
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := schema.Check(line); !ok || m != nil {
			t.Errorf("%s does not match the schema: %+v", line, m)
		}
	}
	whole := reportSummary()
	whole.Servers[0].Transport, whole.Stopped = "stdio", errors.New("stopped")
	whole.Servers[0].Uncalled = []probe.Uncalled{{Tool: "get price", Why: "not annotated as read-only", Flag: "--allow"}}
	last, err := json.Marshal(report.LastLineOf(whole))
	if m, ok := schema.Check(last); err != nil || !ok || m != nil {
		t.Errorf("the last line %s does not match the schema: %+v", last, m)
	}
	if m, _ := schema.Check([]byte(`{"v":1,"probe":"50"}`)); m == nil {
		t.Error("the schema accepts an incomplete line")
	}
}

func TestReport_Fingerprint_IndependentOfText(t *testing.T) {
	r := sample()
	fingerprint := func(f probe.Finding) string {
		of := r
		of.Findings = []probe.Finding{f}
		return report.LineOf(&of).Findings[0].Fingerprint
	}
	before := fingerprint(r.Findings[0])
	changed := r.Findings[0]
	changed.Message, changed.Frames = "other words", nil
	if fingerprint(changed) != before {
		t.Error("the fingerprint depends on the message")
	}
	changed.Subject = "tool:y"
	if fingerprint(changed) == before {
		t.Error("the fingerprint does not depend on the subject")
	}
}

// reportSummary is a run with a failure, an accepted warning, a skipped probe and one that
// could not be judged.
func reportSummary() *probe.Summary {
	r := sample()
	accepted := sample()
	accepted.Verdict, accepted.Findings[0].Severity, accepted.Findings[0].Accepted = probe.Pass, record.SeverityWarning, true
	accepted.Findings[0].Message = "It is slow, 100% | of the time:\nalways."
	return &probe.Summary{
		Servers: []*probe.Server{{Revision: "2025-11-25"}}, Seed: 7,
		Reports: []probe.Report{r, accepted, {Entry: r.Entry, Verdict: probe.Skipped, Reason: probe.OtherTransport, Revision: "2025-11-25"}, {Entry: r.Entry, Verdict: probe.Failure, Skip: "HTTP status 429", Revision: "2025-11-25"}},
	}
}

func isError(f probe.Finding) bool { return f.Severity == record.SeverityError && !f.Accepted }

func TestReport_JUnit_Loads(t *testing.T) {
	var b bytes.Buffer
	if err := report.JUnit(&b, reportSummary(), isError); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Type string `xml:"type,attr"`
					Text string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatalf("%v in %s", err, b.Bytes())
	}
	s := doc.Suites[0]
	if s.Tests != 4 || s.Failures != 1 || s.Errors != 1 || s.Skipped != 1 {
		t.Errorf("tests %d, failures %d, errors %d, skipped %d", s.Tests, s.Failures, s.Errors, s.Skipped)
	}
	if f := s.Cases[0].Failure; f == nil || f.Type != "MUST" || !strings.Contains(f.Text, `"result":{}`) || !strings.Contains(f.Text, "panic: x") {
		t.Errorf("failure %+v", f)
	}
}

// sarifSchema is the part of the SARIF 2.1.0 schema that concerns what is written.
const sarifSchema = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","required":["version","runs"],
"properties":{"version":{"enum":["2.1.0"]},"$schema":{"type":"string","format":"uri"},
"runs":{"type":"array","items":{"type":"object","required":["tool"],"properties":{
 "columnKind":{"enum":["utf16CodeUnits","unicodeCodePoints"]},
 "invocations":{"type":"array","items":{"type":"object","required":["executionSuccessful"]}},
 "tool":{"type":"object","required":["driver"],"properties":{"driver":{"type":"object","required":["name"],"properties":{
  "rules":{"type":"array","uniqueItems":true,"items":{"type":"object","required":["id"],"properties":{
   "helpUri":{"type":"string","format":"uri"},"shortDescription":{"type":"object","required":["text"]},
   "defaultConfiguration":{"type":"object","properties":{"level":{"enum":["none","note","warning","error"]}}}}}}}}}},
 "results":{"type":"array","items":{"type":"object","required":["message"],"additionalProperties":false,"properties":{
  "ruleId":{"type":"string"},"ruleIndex":{"type":"integer","minimum":-1},
  "kind":{"enum":["notApplicable","pass","fail","review","open","informational"]},
  "level":{"enum":["none","note","warning","error"]},
  "message":{"type":"object","required":["text"]},
  "locations":{"type":"array","items":{"type":"object","properties":{"physicalLocation":{"type":"object","required":["artifactLocation"]},
   "logicalLocations":{"type":"array","items":{"type":"object","properties":{"fullyQualifiedName":{"type":"string"}}}}}}},
  "partialFingerprints":{"type":"object","additionalProperties":{"type":"string"}},
  "suppressions":{"type":"array","items":{"type":"object","required":["kind"],"properties":{"kind":{"enum":["inSource","external"]}}}},
  "properties":{"type":"object"}}}}}}}}}`

func TestReport_SARIF_MatchesSchema(t *testing.T) {
	var b bytes.Buffer
	if err := report.SARIF(&b, reportSummary(), "server.js", "1.2.3"); err != nil {
		t.Fatal(err)
	}
	schema := check.Compile([]byte(sarifSchema), check.Options{})
	if m, ok := schema.Check(b.Bytes()); !ok || m != nil {
		t.Fatalf("%+v in %s", m, b.Bytes())
	}
	for _, want := range []string{`"ruleId": "P-050"`, `"level": "error"`, `"uri": "server.js"`, `"kind": "external"`, `"fullyQualifiedName": "tool:x"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b.Bytes())
		}
	}
}

func TestReport_MarkdownAndGitHub_Escape(t *testing.T) {
	var b bytes.Buffer
	if err := report.Markdown(&b, reportSummary(), []probe.Group{{Name: "tools", Title: "Tools"}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| Tools | 1 | 0 | 1 | 1 | 1 |", "&lt;result>", "100% \\| of the time: always.", "*(accepted)*"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %s", want, b.Bytes())
		}
	}
	b.Reset()
	if err := report.GitHub(&b, reportSummary()); err != nil {
		t.Fatal(err)
	}
	if want := "::error title=P-050 tool-unknown::It returns a <result>. Return an error.\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestReport_Skipped_ByReason(t *testing.T) {
	var reports []probe.Report
	for _, why := range []probe.Reason{probe.OtherVersion, probe.OtherTransport, probe.NoCapability, probe.OtherVersion, probe.NotSelected, probe.OtherReason, probe.NotPassive, probe.NotIntrusive, probe.NotEvents, probe.ByHand, probe.Outside} {
		reports = append(reports, probe.Report{Verdict: probe.Skipped, Reason: why, Skip: "no callable tool"})
	}
	want := "2 protocol version · 1 transport · 1 capability · 1 passive · 1 without --intrusive · 1 without --events · 1 by hand · 1 nothing to judge · 1 other"
	if n, got := report.Skipped(reports, " · "); n != 10 || got != want {
		t.Errorf("%d: %q", n, got)
	}
	if n, got := report.Skipped(reports[4:5], ""); n != 0 || got != "" {
		t.Errorf("nothing but what was not selected: %d %q", n, got)
	}
}

func TestReport_NotCalled_NamesTheFlag(t *testing.T) {
	quote := func(s string) string { return "'" + s + "'" }
	one := []probe.Uncalled{{Tool: "get price", Why: "not annotated as read-only", Flag: "--allow"}}
	one[0].Flag = "--allow TOOL=JSON"
	if got := report.NotCalled(one, quote); len(got) != 1 || !strings.HasSuffix(got[0], ". --allow 'get price=JSON'") {
		t.Errorf("got %q", got)
	}
	one[0].Flag = "--allow"
	if got := report.NotCalled(one, quote); len(got) != 1 || got[0] != "1 tool was not called: it is not annotated as read-only. --allow 'get price'" {
		t.Errorf("%q", got)
	}
	many := append(one, probe.Uncalled{Tool: "k", Why: "read-only, and only ten such tools are called", Flag: "--call"})
	for _, name := range []string{"b", "c", "d"} {
		many = append(many, probe.Uncalled{Tool: name, Why: one[0].Why, Flag: one[0].Flag})
	}
	if got := report.NotCalledBrief(many); got != "5 tools not called: 4 not annotated as read-only, 1 beyond the first 10" {
		t.Errorf("%q", got)
	}
	if got := report.NotCalledBrief(one); got != "1 tool not called: not annotated as read-only" {
		t.Errorf("%q", got)
	}
	got := report.NotCalled(many, quote)
	if len(got) != 2 || got[0] != "4 tools were not called: they are not annotated as read-only. --allow 'get price' --allow 'b' --allow 'c' …" || got[1] != "1 tool was not called: it is read-only, and only ten such tools are called. --call" {
		t.Errorf("%q", got)
	}
}

// What a finding rests on has the same labels in the same order wherever it is written, and the
// further cases are counted where the line may be cut.
func TestReport_Facts(t *testing.T) {
	r := sample()
	r.Versions = []string{"2025-06-18", "2025-11-25"}
	f := &r.Findings[0]
	f.Frames = append([]probe.Frame{{Dir: transport.Out, Bytes: []byte("POST /mcp\n\n{\"id\":1}\n")}}, f.Frames...)
	f.Acts = []probe.Act{{What: "opened"}, {What: "sent SIGTERM"}, {What: "closed stdin"}, {What: "gave up waiting"}}
	f.Also, f.Versions = []string{"a", "b", "c", "d", "e"}, []string{"2025-11-25"}
	f.Rule = &lint.Entry{ID: "T011", Slug: "tool-without-name"}
	f.Ground = &probe.Ground{Section: "server/tools#unknown", Says: "Servers MUST return an error.", Word: probe.Must}
	address := "https://modelcontextprotocol.io/specification/2025-11-25/server/tools"
	want := []string{
		"sent: POST /mcp\n\n{\"id\":1}", `received: {"jsonrpc":"2.0","id":1,"result":{}}…`, "place: /result", "mcptea: sent SIGTERM", "mcptea: closed stdin", "mcptea: gave up waiting",
		"stderr: panic: x", "also: 5 cases: a; b; c; d; e", "only in: 2025-11-25", "rule: T011 tool-without-name", "says: Servers MUST return an error.", string(f.Ground.Level()) + ": " + address,
	}
	var got []string
	for _, fact := range report.Facts(&r, f) {
		got = append(got, fact.Label+": "+fact.Text)
		if foreign := fact.Frame != nil || fact.Label == "stderr" || fact.Label == "place"; fact.Foreign != foreign {
			t.Errorf("%s is of the server: %t", fact.Label, fact.Foreign)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if text := report.Text(r.Entry, &r); !strings.Contains(text, "It returns a <result>.\nfix: Return an error.\n"+strings.Join(want, "\n")+"\n") {
		t.Error(text)
	}
	var b bytes.Buffer
	whole := reportSummary()
	whole.Reports = []probe.Report{r}
	if err := report.Markdown(&b, whole, []probe.Group{{Name: "tools", Title: "Tools"}}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"\n  - sent: POST /mcp  {\"id\":1}\n  - received: {", "\n  - mcptea: closed stdin\n", "\n  - only in: 2025-11-25\n", "[server/tools#unknown](" + address + ")\n"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("Markdown lacks %q:\n%s", part, b.String())
		}
	}
	if strings.Contains(b.String(), "says:") {
		t.Errorf("Markdown has details:\n%s", b.String())
	}
}

// The schema allows each member that a line can have, wherever it says that there are no others.
func TestReport_Schema_AllowsEachMember(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal([]byte(report.Schema), &schema); err != nil {
		t.Fatal(err)
	}
	lines := schema["oneOf"].([]any)
	for i, line := range []reflect.Type{reflect.TypeFor[report.Line](), reflect.TypeFor[report.LastLine]()} {
		allowed(t, line.Name(), line, lines[i].(map[string]any))
	}
}

// allowed reports members of a type for which a schema has no property.
func allowed(t *testing.T, at string, of reflect.Type, schema map[string]any) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() == reflect.Slice {
		if items, ok := schema["items"].(map[string]any); ok {
			allowed(t, at+"[]", of.Elem(), items)
		}
		return
	}
	properties, _ := schema["properties"].(map[string]any)
	if of.Kind() != reflect.Struct || properties == nil {
		return
	}
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		if p, ok := properties[name].(map[string]any); ok {
			allowed(t, at+"."+name, f.Type, p)
		} else {
			t.Errorf("the schema has no %s.%s", at, name)
		}
	}
}

// Each format says which client mcptea was.
func TestReport_Formats_NameTheClient(t *testing.T) {
	s := reportSummary()
	s.Client = "Codex <CLI>"
	for _, f := range report.Formats() {
		var plain, b bytes.Buffer
		if err := f.Write(&b, s, "mcptea 1"); err != nil {
			t.Fatal(err)
		}
		before := *s
		before.Client = ""
		if err := f.Write(&plain, &before, "mcptea 1"); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(plain.String(), "Codex") || !strings.Contains(b.String(), "Codex") || strings.Contains(b.String(), "Codex <CLI>") {
			t.Errorf("%s: %s", f.Name, b.String())
		}
	}
}
