package cli

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcptea/cli/recordings"
	"mcptea/internal/test/recordingtest"
	"mcptea/record"
	"mcptea/session/export"
)

// A facts is what is known of the calls of one tool in a recording: the name of the fact → its value. A number is its
// digits, a time its milliseconds, and an absent time "-". Faces show some of them. "times" are those between frames that
// are shown with a response, and "spans" those of requests on the wire, of which a call that was sent again has two.
type facts map[string]string

// The recordings of [TestFaces_Calls]. Each of them has what a new feature may count in its own way.
var countedCalls = []struct {
	name, events string
	tap          bool
	want         facts
}{
	{
		"two times", `10 > CALL 1
15 < RESULT 1
20 > CALL 2
820 < RESULT 2`, false,
		facts{"calls": "2", "ended": "2", "tool errors": "0", "error responses": "0", "response errors": "0", "failed": "0", "unanswered": "0", "own": "0", "p50": "5", "p95": "800", "max": "800", "times": "5 800", "spans": "5 800"},
	},
	{
		"each way to fail", `10 > CALL 1
11 < TOOLERROR 1
20 > CALL 2
24 < FAILURE 2
30 > CALL 3
40 > CANCEL 3
50 > CALL 4
60 > CALL 5
80 < RESULT 5
81 < RESULT 5
90 > TIMED 6`, false,
		facts{"calls": "5", "ended": "3", "tool errors": "1", "error responses": "1", "response errors": "2", "failed": "2", "unanswered": "2", "own": "0", "p50": "4", "p95": "20", "max": "20", "times": "1 4 20", "spans": "1 4 10 20 40"},
	},
	{
		"a tap sends again and refuses", `10 > CALL 1
13 < RESULT 1
20 > CALL 2
22 <withheld FAILURE 2
23 closed 1
24 opened 2
25 >own CALL 2
30 < RESULT 2
40 >withheld CALL 3
41 <injected FAILURE 3
50 > CALL 4
51 closed 2
52 <injected FAILURE 4
53 >withheld CALL 5
54 <injected FAILURE 5`, true,
		facts{"calls": "5", "ended": "5", "tool errors": "0", "error responses": "3", "response errors": "3", "failed": "3", "unanswered": "0", "own": "3", "p50": "3", "p95": "10", "max": "10", "times": "1 1 2 2 3 5", "spans": "1 1 1 2 3 5"},
	},
	{
		"two connections", `10 > CALL 1
13 < RESULT 1
20 > CALL 2
23 closed 1
24 opened 2
25 > CALL 1
30 < RESULT 1
35 > CALL 2
41 < RESULT 2`, false,
		facts{"calls": "4", "ended": "4", "tool errors": "0", "error responses": "0", "response errors": "0", "failed": "1", "unanswered": "1", "own": "0", "p50": "5", "p95": "6", "max": "6", "times": "3 5 6", "spans": "3 3 5 6"},
	},
	{
		"errors without a time", `10 >withheld CALL 1
11 <injected FAILURE 1`, true,
		facts{"calls": "1", "ended": "1", "tool errors": "0", "error responses": "1", "response errors": "1", "failed": "1", "unanswered": "0", "own": "1", "p50": "-", "p95": "-", "max": "-", "times": "1", "spans": "1"},
	},
}

// recordingOfCalls writes a recording of calls of the tool echo.
func recordingOfCalls(t *testing.T, events string, tap bool) (dir string) {
	t.Helper()
	for name, frame := range map[string]string{
		"CALL": `{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"echo","arguments":{}}}`, "RESULT": `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`,
		"FAILURE": `{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"no"}}`, "TOOLERROR": `{"jsonrpc":"2.0","id":ID,"result":{"isError":true,"content":[]}}`,
		"CANCEL": `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":ID}}`,
		"TIMED":  `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":ID,"reason":"timed out"}}`,
	} {
		events = regexp.MustCompile(name+` (\d+)`).ReplaceAllStringFunc(events, func(s string) string {
			return strings.Replace(frame, "ID", s[len(name)+1:], 1)
		})
	}
	h := record.Header{Tool: "mcptea 1.2.3", Transport: "stdio", Target: "server"}
	if tap {
		h.Tool = "mcptea 1.2.3 tap"
	}
	path := recordingtest.Timed(t, h, `0 opened 1
1 > {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}
2 < {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"flaky","version":"1"}}}
3 ready flaky 1
4 > {"jsonrpc":"2.0","method":"notifications/initialized"}
`+events)
	return filepath.Dir(path)
}

// A face shows facts of the calls of the tool echo in the only recording of a directory.
type face func(t *testing.T, dir string) facts

// callFaces are the faces that show how many calls there were, how they ended and how long they took.
var callFaces = map[string]face{
	"open --stats --json": func(t *testing.T, dir string) facts {
		return countsOf(t, dir).Servers[0].Tools[0].facts()
	},
	"open --stats --json, the server": func(t *testing.T, dir string) facts {
		return countsOf(t, dir).Servers[0].facts()
	},
	"open --stats --markdown": func(t *testing.T, dir string) facts {
		stdout, _, _ := called(t, "open", "--stats", "--markdown", dir)
		return tableFacts(t, stdout, `(?m)^\|[^|\n]*\| *echo *\|(.*)\|$`, "|", statisticsFacts)
	},
	"open --json": func(t *testing.T, dir string) facts {
		var doc recordings.Listing
		unmarshalOf(t, &doc, "open", "--json", dir)
		for _, q := range doc.Recordings[0].Summary.Requests {
			if q.Name == "echo" {
				return facts{"calls": digits(q.Count), "response errors": digits(q.Errors), "p50": milliseconds(q.Median), "p95": milliseconds(q.Percentile)}
			}
		}
		t.Error("echo is not among the requests")
		return nil
	},
	"open --hosts --json": func(t *testing.T, dir string) facts {
		var doc recordings.Hosts
		unmarshalOf(t, &doc, "open", "--hosts", "--json", filepath.Join(dir, "session.mcptea.jsonl"))
		return facts{"calls": digits(doc.Hosts[0].Calls)}
	},
	"export --to html": func(t *testing.T, dir string) facts {
		var times []time.Duration
		page := exported(t, dir, "html")
		for _, m := range regexp.MustCompile(`"took":"([^"]+)"`).FindAllStringSubmatch(page, -1) {
			times = append(times, tookOf(t, m[1]))
		}
		return timesOf(times[1:]) // the first is that of initialize
	},
	"the pane Statistics":         statisticsPane,
	"the list of recordings":      recordingsPane,
	"the latencies of Timeline":   timelinePane,
	"the exported spans for OTLP": otlpSpans,
}

// countsDocument is what open --stats --json prints, as a reader of it decodes it.
type countsDocument struct {
	Servers []struct {
		callCounts
		Tools []callCounts `json:"tools"`
	} `json:"servers"`
}

type callCounts struct {
	Calls          int     `json:"calls"`
	ToolErrors     int     `json:"tool_errors"`
	ProtocolErrors int     `json:"protocol_errors"`
	Unanswered     int     `json:"unanswered"`
	Own            int     `json:"own_responses"`
	P50            float64 `json:"p50_ms"`
	P95            float64 `json:"p95_ms"`
}

func countsOf(t *testing.T, dir string) (doc countsDocument) {
	t.Helper()
	unmarshalOf(t, &doc, "open", "--stats", "--json", dir)
	return doc
}

func (c *callCounts) facts() facts {
	ms := func(ms float64) string { return milliseconds(time.Duration(ms * float64(time.Millisecond))) }
	return facts{
		"calls": digits(c.Calls), "tool errors": digits(c.ToolErrors), "error responses": digits(c.ProtocolErrors), "unanswered": digits(c.Unanswered), "own": digits(c.Own),
		"p50": ms(c.P50), "p95": ms(c.P95),
	}
}

// statisticsFacts are the columns of the statistics.
var statisticsFacts = []string{"calls", "tool errors", "error responses", "unanswered", "own", "", "p50", "p95"}

// TestFaces_Calls asks each face for the same facts about the same recordings.
func TestFaces_Calls(t *testing.T) {
	for _, r := range countedCalls {
		for _, name := range slices.Sorted(maps.Keys(callFaces)) {
			t.Run(r.name+"/"+name, func(t *testing.T) {
				got := callFaces[name](t, recordingOfCalls(t, r.events, r.tap))
				for fact, value := range got {
					if want := r.want[fact]; value != want {
						t.Errorf("%s is %s, want %s", fact, value, want)
					}
				}
				if len(got) == 0 {
					t.Error("it shows no fact")
				}
			})
		}
	}
}

// otherFaces are members of JSON documents, formats and folders that show counts or times of requests without a row in
// [callFaces], with the reason.
var otherFaces = map[string]string{
	"open --hosts: hosts[].calls_with_progress_token": "of the calls, counted nowhere else",
	"bench: quantiles_ms":                             "measured by the load that it sends, by record.HistogramQuantile",
	"app: calls":                                      "calls of tools by the app that is shown, not those of a recording",
	"export --to raw":                                 "bytes without times", "export --to jsonl": "events, of which the others are made",
	"export --to har": "times of HTTP exchanges", "export --to markdown": "no times of requests", "export --to issue": "no times of requests",
	"export --to mermaid": "no times", "export --to curl": "requests only", "export --to command": "requests only", "export --to script": "no times",
	"export --to mock": "no times", "export --to typescript": "requests only",
	"export --to types-ts": "tools", "export --to types-go": "tools", "export --to types-python": "tools",
	"cli/use": "bench, see above",
}

// askedFolders are the folders that name a percentile, and have their row in [callFaces].
var askedFolders = []string{"ui/pane/recordings", "ui/pane/statistics", "ui/pane/timeline"}

// countedMember matches the members of JSON documents that are counts of calls or of their outcomes, or percentiles.
var countedMember = regexp.MustCompile(`(^|\.|_)(calls|unanswered|own_responses|tool_errors|protocol_errors|p\d\d_\w+|median_\w+|quantiles_ms)(_\w+)?$`)

// TestFaces_EachIsAsked fails for a new place that shows a count or a time of calls, and that [TestFaces_Calls] does not
// ask: it gets a row there, or a reason in [otherFaces].
func TestFaces_EachIsAsked(t *testing.T) {
	unused := maps.Clone(otherFaces)
	asked := func(place, row string) {
		delete(unused, place)
		if callFaces[row] == nil && otherFaces[place] == "" {
			t.Errorf("%s shows a fact about calls: add it to callFaces, or to otherFaces with the reason", place)
		}
	}
	for _, section := range jsonSections {
		for _, m := range membersOf(t, section).rows {
			if countedMember.MatchString(m.path) {
				asked(section.name+": "+m.path, section.name+" --json")
			}
		}
	}
	for _, format := range export.Formats() {
		asked("export --to "+format.Name, "export --to "+format.Name)
	}
	for folder, text := range textsOfFolders(t) {
		if percentileText.MatchString(text) && !slices.Contains(askedFolders, folder) {
			asked(folder, folder)
		}
	}
	for place := range unused {
		t.Errorf("%s shows no such fact: remove it from otherFaces", place)
	}
}

// textsOfFolders returns the code, without tests, of each folder that shows something to users.
func textsOfFolders(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, top := range []string{"../ui", "../cli", "../agent"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			texts[filepath.ToSlash(filepath.Dir(path))[len("../"):]] += string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// percentileText matches a name of a percentile in a text of the program.
var percentileText = regexp.MustCompile(`"p(50|90|95|99|%g)"|"median"|p%g`)

func unmarshalOf(t *testing.T, doc any, args ...string) {
	t.Helper()
	stdout, stderr, _ := called(t, args...)
	if err := json.Unmarshal([]byte(stdout), doc); err != nil {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
}

// exported is a recording in a format.
func exported(t *testing.T, dir, format string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	if _, stderr, code := called(t, "export", filepath.Join(dir, "session.mcptea.jsonl"), "--to", format, "--output", out); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tableFacts reads the facts of a row, whose cells are the group of a pattern.
func tableFacts(t *testing.T, table, row, separator string, names []string) facts {
	t.Helper()
	found := regexp.MustCompile(row).FindStringSubmatch(table)
	if found == nil {
		t.Fatalf("no row %s in\n%s", row, table)
	}
	got := facts{}
	for i, cell := range strings.Split(found[1], separator) {
		if i >= len(names) || names[i] == "" {
			continue
		}
		cell = strings.TrimSpace(cell)
		switch {
		case cell == "–" || cell == "":
			got[names[i]] = map[bool]string{true: "-", false: "0"}[strings.HasPrefix(names[i], "p") || names[i] == "max"]
		case strings.HasPrefix(names[i], "p") || names[i] == "max":
			got[names[i]] = milliseconds(tookOf(t, cell))
		default:
			got[names[i]] = cell
		}
	}
	return got
}

func digits(n int) string { return strconv.Itoa(n) }

// milliseconds is a time as a fact: rounded, as no face shows less.
func milliseconds(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return strconv.FormatInt(d.Round(time.Millisecond).Milliseconds(), 10)
}

// tookOf reads a time that is shown.
func tookOf(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Errorf("%q is no time", text)
	}
	return d
}

// timesOf are the times of calls, shortest first.
func timesOf(times []time.Duration) facts {
	slices.Sort(times)
	var texts []string
	for _, d := range times {
		texts = append(texts, milliseconds(d))
	}
	return facts{"times": strings.Join(texts, " ")}
}
