package probes_test

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/check/report"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/test/sessiontest"
	"mcptea/lint"
)

// endsAtLines is a server that ends at a line that is not a message.
func endsAtLines(ctx context.Context, in io.Reader, out io.Writer) error {
	readable, w := io.Pipe()
	var done sync.WaitGroup
	defer done.Wait()
	defer w.Close()
	done.Go(func() {
		_ = sessiontest.Answering(handshakeServer(exploreTool, func(*sessiontest.Peer, []byte) (string, bool) { return "found", false }))(ctx, readable, out)
	})
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if !jsonrpc.Valid(lines.Bytes()) {
			return nil
		}
		if _, err := w.Write(append(lines.Bytes(), '\n')); err != nil {
			return err
		}
	}
	return lines.Err()
}

// One mistake of the server that several probes find is told as one finding, with those that likely have the same cause below
// it; what has another cause is not below it.
func TestLinkRoots(t *testing.T) {
	right := handshakeServer(exploreTool, func(_ *sessiontest.Peer, params []byte) (string, bool) {
		return "found", jsonrpc.Get(params, "arguments", "query") == nil
	})
	for _, test := range []struct {
		name  string
		serve func(ctx context.Context, in io.Reader, out io.Writer) error
		only  []string
		first string   // the probe to begin with
		leads []string // those behind it, among others; one of several with blanks between
		apart []string // with findings of another cause
	}{
		{
			"responds to notifications",
			sessiontest.Answering(func(p *sessiontest.Peer, m sessiontest.Message) bool {
				if m.ID == "" {
					p.Write(`{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"}}`)
					return false
				}
				return right(p, m)
			}),
			[]string{"P-001", "P-008", "P-028", "P-088", "P-033"},
			"P-001",
			[]string{"P-008", "P-028", "P-088"},
			nil,
		},
		{
			"is silent where an error is due, and ignores a wrong level",
			sessiontest.Answering(func(p *sessiontest.Peer, m sessiontest.Message) bool {
				switch m.Method {
				case "ping", "tools/list":
					return right(p, m)
				case "initialize":
					p.Result(m, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}}`)
				case "logging/setLevel":
					p.Result(m, "{}")
				}
				return false
			}),
			[]string{"P-010", "P-023", "P-081"},
			"P-010",
			[]string{"P-023"},
			[]string{"P-081"},
		},
		{
			"declares subscriptions without the method",
			sessiontest.Answering(func(p *sessiontest.Peer, m sessiontest.Message) bool {
				switch m.Method {
				case "initialize":
					p.Result(m, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{"subscribe":true}},"serverInfo":{"name":"s","version":"1"}}`)
				case "resources/list":
					p.Result(m, `{"resources":[{"uri":"file:///a","name":"a","description":"A."}]}`)
				case "resources/templates/list":
					p.Result(m, `{"resourceTemplates":[]}`)
				case "resources/read":
					p.Result(m, `{"contents":[{"uri":"file:///a","text":"x"}]}`)
				case "resources/subscribe", "resources/unsubscribe":
					p.Error(m, jsonrpc.CodeMethodNotFound, "Unknown method "+m.Method)
				default:
					return right(p, m)
				}
				return false
			}),
			[]string{"P-010", "P-033", "P-070"},
			"P-070",
			[]string{"P-010 P-033"},
			nil, // whichever takes the finding of the rule
		},
		{"ends at lines that it cannot read", endsAtLines, []string{"P-020", "P-106"}, "P-020", []string{"P-106"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				connect := sessiontest.Dial(test.serve)
				summary, err := probes.Run(context.Background(), probe.Config{
					Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Seed: 1, MaxTime: time.Hour, Only: test.only,
					Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
				}, nil)
				if err != nil {
					t.Fatal(err)
				}
				merged := report.Merge(summary)
				_, _, errors, warnings, follow, _, _ := report.ByCause(merged.Reports)
				above := append(errors, warnings...)
				i := slices.IndexFunc(above, func(e report.Entry) bool { return e.Report.Entry.ID == test.first && e.LeadsTo != nil })
				if i < 0 {
					for _, e := range above {
						t.Logf("%s %s", e.Report.Entry.ID, e.Message)
					}
					t.Fatalf("%s leads to nothing, and %d findings follow", test.first, len(follow))
				}
				for _, id := range test.leads {
					is := func(e report.Entry) bool { return slices.Contains(strings.Fields(id), e.Report.Entry.ID) }
					if !slices.ContainsFunc(strings.Fields(id), func(id string) bool { return slices.Contains(above[i].LeadsTo, id) }) || !slices.ContainsFunc(follow, func(e report.Entry) bool { return is(e) && e.Follows == test.first }) {
						t.Errorf("%s is not below %s, which leads to %q", id, test.first, above[i].LeadsTo)
					}
					if slices.ContainsFunc(above, is) {
						t.Errorf("%s is also above", id)
					}
				}
				for _, id := range test.apart {
					if !slices.ContainsFunc(above, func(e report.Entry) bool { return e.Report.Entry.ID == id && e.LeadsTo == nil }) {
						t.Errorf("%s is not on its own", id)
					}
				}
				said := ""
				for _, fact := range report.Facts(above[i].Report, &above[i].Finding) {
					said += fact.Label + " " + fact.Text + "\n"
				}
				if want := "first mend this: what " + above[i].LeadsTo[0]; !strings.Contains(said, want) {
					t.Errorf("no fact begins with %q:\n%s", want, said)
				}
			})
		})
	}
}

// Calls with arguments made from the schemas that many tools refuse are one info, with the further tools.
func TestProbe_ToolErrorsOfManyToolsAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool := func(name string) string { return strings.ReplaceAll(exploreTool, `"explore"`, `"`+name+`"`) }
		connect := sessiontest.Dial(sessiontest.Answering(func(p *sessiontest.Peer, m sessiontest.Message) bool {
			switch m.Method {
			case "initialize":
				p.Result(m, handshakeResult)
			case "tools/list":
				p.Result(m, `{"tools":[`+tool("get_a")+","+tool("get_b")+","+tool("get_c")+`]}`)
			case "tools/call":
				p.Result(m, `{"content":[{"type":"text","text":"`+jsonrpc.Text(m.Params, "name")+`: connection refused"}],"isError":true}`)
			default:
				if m.ID != "" {
					p.Result(m, "{}")
				}
			}
			return false
		}))
		summary, err := probes.Run(context.Background(), probe.Config{
			Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Seed: 1, MaxTime: time.Hour, Only: []string{"P-058"},
			Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var infos []probe.Finding
		for _, r := range summary.Reports {
			for _, f := range r.Findings {
				if f.Severity == lint.Info {
					infos = append(infos, f)
				}
			}
		}
		if len(infos) != 1 || infos[0].Message != "The tool get_a reports a tool error for arguments made from its schema." || strings.Join(infos[0].Also, "; ") != "get_b with valid arguments; get_c with valid arguments" {
			t.Errorf("the infos are %+v", infos)
		}
	})
}
