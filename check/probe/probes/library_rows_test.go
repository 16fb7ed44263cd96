package probes_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/test/sessiontest"
)

// likeLibrary is a server that does what a library does, in both eras.
type likeLibrary struct {
	name       string // of the library
	unknown    func(method string) (code int, message string)
	unreadable func(line []byte) bool
	write      func(line string) string
	first      bool // it ends where the first message is not initialize
	silent     bool // it discards what it cannot read
	anyCase    bool // it reads "Method" as "method"
	stateless  bool
}

var nested = regexp.MustCompile(`\[{200}`)

// unreadable is a line that a strict decoder of messages rejects.
func unreadable(line []byte) bool {
	e := jsonrpc.Scan(line)
	id := e.ID.Of(line)
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return false
	case !jsonrpc.Valid(line), e.Kind == jsonrpc.Batch, line[0] != '{', nested.Match(line), jsonrpc.Text(line, "jsonrpc") != "2.0":
		return true
	case id.Present() && id.Type() != jsonrpc.IDString && id.Type() != jsonrpc.IDInteger:
		return true
	}
	return false
}

// unreadableByRust is that of a decoder that also wants params to be an object, and numbers to fit.
func unreadableByRust(line []byte) bool {
	params := jsonrpc.Get(line, "params")
	large := regexp.MustCompile(`\d{100}|1e400`).Match(line)
	_, odd := jsonrpc.Member(line, "Method")
	return unreadable(line) || len(params) > 0 && params[0] != '{' || large || odd || !utf8.Valid(line)
}

func likeLibraries() []likeLibrary {
	resultFirst := regexp.MustCompile(`^\{"jsonrpc":"2.0","id":([^,]+),"result":(.*)\}$`)
	named := func(format string, code int) func(string) (int, string) {
		return func(method string) (int, string) { return code, fmt.Sprintf(format, method) }
	}
	typescript := func(line string) string {
		return resultFirst.ReplaceAllString(line, `{"result":$2,"jsonrpc":"2.0","id":$1}`)
	}
	return []likeLibrary{
		{name: "the TypeScript SDK", unknown: named("Method not found%.0s", -32601), write: typescript, silent: true},
		{name: "the TypeScript SDK", unknown: named("Method not found%.0s", -32601), write: typescript, silent: true, stateless: true},
		{name: "the Go SDK", unknown: named("method not found: %q", -32601), unreadable: unreadable},
		{name: "the Go SDK", unknown: named("method not found: %q", -32601), stateless: true},
		{name: "an older Go SDK", unknown: named("JSON RPC not handled: %q unsupported", 0), unreadable: unreadable, anyCase: true},
		{name: "the Rust SDK (rmcp)", unknown: named("%s", -32601), unreadable: unreadableByRust, first: true},
	}
}

func (l likeLibrary) serve() sessiontest.Serve {
	handle := func(p *sessiontest.Peer, m sessiontest.Message) bool {
		stateless := l.stateless && jsonrpc.Get(m.Params, "_meta", revision.MetaProtocolVersion) != nil
		switch {
		case l.first && !l.stateless && p.Requests <= 1 && m.ID != "" && m.Method != "initialize":
			return true
		case m.ID == "":
		case stateless && m.Method == "server/discover":
			p.Result(m, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"logging":{}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}`)
		case stateless && m.Method == "tools/list": // whatever the version is
			p.Result(m, `{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}`)
		case m.Method == "initialize" && !l.stateless:
			version := jsonrpc.Text(m.Params, "protocolVersion")
			if !revision.Revision(version).HasHandshake() {
				version = "2025-11-25"
			}
			p.Result(m, `{"protocolVersion":"`+version+`","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}}`)
		case m.Method == "ping" && !l.stateless, m.Method == "logging/setLevel" && !l.stateless:
			p.Result(m, "{}")
		case m.Method == "tools/list" && !l.stateless:
			p.Result(m, `{"tools":[]}`)
		case m.Method == "tools/call":
			p.Error(m, jsonrpc.CodeInvalidParams, "unknown tool")
		default:
			code, message := l.unknown(m.Method)
			p.Error(m, code, message)
		}
		return false
	}
	serve := sessiontest.Strict(handle, l.unreadable, l.write)
	if l.anyCase {
		serve = ignoringCase(serve)
	}
	if l.silent {
		return sessiontest.Discarding(serve, func(line []byte) bool {
			params := jsonrpc.Get(line, "params")
			return unreadable(line) || len(params) > 0 && params[0] != '{' || bytes.Contains(line, []byte(`"timestamp":1`))
		})
	}
	return serve
}

// ignoringCase is a server that reads the member "Method" as "method".
func ignoringCase(serve sessiontest.Serve) sessiontest.Serve {
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		lines, w := io.Pipe()
		var done sync.WaitGroup
		defer done.Wait()
		done.Go(func() {
			defer w.Close()
			for r := bufio.NewReader(in); ; {
				line, err := r.ReadBytes('\n')
				if _, failed := w.Write(bytes.Replace(line, []byte(`"Method":`), []byte(`"method":`), 1)); err != nil || failed != nil {
					return
				}
			}
		})
		err := serve(ctx, lines, out)
		_ = lines.Close()
		if c, ok := in.(io.Closer); ok {
			_ = c.Close()
		}
		return err
	}
}

// notImitated are the rows whose findings need more than these servers have.
var notImitated = map[string]string{
	"the TypeScript SDK P-092": "tasks", "the Go SDK P-101": "a process",
}

// Each row of a library has a server that does it, and whose finding says so. A row that never fits is advice that no
// author reads.
func TestLibrary_EachRowFires(t *testing.T) {
	said := map[string]bool{}
	turn := make(chan struct{}, 1)
	t.Run("servers", func(t *testing.T) {
		for i, l := range likeLibraries() {
			t.Run(fmt.Sprint(i, " ", l.name), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					version := revision.R20251125
					if l.stateless {
						version = revision.R20260728
					}
					connect := sessiontest.Dial(l.serve())
					summary, err := probes.Run(context.Background(), probe.Config{
						Client: client.Config{Name: "mcptea", Version: "1", Revision: version}, Seed: 1, MaxTime: time.Hour,
						Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
					}, nil)
					if err != nil {
						t.Fatal(err)
					}
					var others []string
					turn <- struct{}{}
					defer func() { <-turn }()
					for _, r := range summary.Reports {
						for _, f := range r.Findings {
							if f.Library != nil {
								said[f.Library.Name+" "+r.Entry.ID] = true
							} else {
								others = append(others, fmt.Sprint(f.Severity, " ", r.Entry.ID, " ", f.Claim(), " ", f.Message))
							}
						}
					}
					t.Logf("not of the library:\n%s", strings.Join(others, "\n"))
				})
			})
		}
	})
	for row := range probe.LibraryRows() {
		if !said[row] && notImitated[row] == "" {
			t.Errorf("%s is not said of a server that does it", row)
		}
	}
}
