package inspector

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/internal/test/certtest"
	"mcptea/internal/test/inmemory"
	"mcptea/session/explain/remedy"
	"mcptea/session/runs/watch"
	"mcptea/session/session"
)

// mending is a server that a session does not reach, and what the user presses about it.
type mending struct {
	name   string
	target client.Target
	client client.Config
	auth   *oauth.Config
	record bool // in a file
	// process plays the server of a command; dial those of a URL.
	process func(t client.Target, p *process, in io.Reader, out io.Writer) int
	dial    func(stop *stops) dialing
	watches bool // a file is saved
	keep    func(vars []string) (remedy.Keeping, error)

	sees  []string // before
	keys  string   // what the screen names, and what is typed
	after func(d *driver)
	then  []string // on the page of the connection, after the second attempt
}

type (
	dialing = func(ctx context.Context, network, address string) (net.Conn, error)
	stops   []func() // end what runs in the bubble
)

func (m *mending) run(t *testing.T, check func(d *driver, s *session.Session, saved chan<- watch.Burst)) {
	t.Helper()
	var s *session.Session
	var ends stops
	cfg := session.Config{Target: m.target, Client: m.client, Authorization: m.auth, Record: "off", Lists: client.ListKinds, Lint: true, Reconnect: true}
	cfg.Client.Name, cfg.Client.Version = "mcptea", "test"
	if m.process != nil {
		cfg.Client.Revision = cmp.Or(cfg.Client.Revision, revision.R20251125)
	}
	if m.record {
		cfg.Record = filepath.Join(t.TempDir(), "session.jsonl")
	}
	if m.process != nil {
		cfg.Dial = func(tap client.Tap, c client.Config) *client.Client {
			target := s.Target()
			if _, err := os.Stat(target.Dir); target.Dir != "" && err != nil || target.Argv[0] == "nosuchserver" {
				return client.New(target, tap, c)
			}
			return dialProcess(func(p *process, in io.Reader, out io.Writer) int { return m.process(target, p, in, out) }, target.Argv...)(tap, c)
		}
	}
	var saved chan watch.Burst
	open := func() (*session.Session, error) {
		saved = make(chan watch.Burst)
		if m.dial != nil {
			cfg.Target.Dial = m.dial(&ends)
		}
		var err error
		s, err = session.Open(cfg)
		return s, err
	}
	options := func(*session.Session) Options {
		return Options{Keep: m.keep, Watch: func(s watch.Session) (*watch.Loop, func(), error) {
			return watch.New(s, watch.Config{Changes: saved, Watching: "src/", Notify: func() {}, Note: func(string) {}}), func() {}, nil
		}}
	}
	driveWith(t, 120, 40, open, options, func(d *driver) {
		check(d, s, saved)
		for _, end := range ends {
			end()
		}
	})
}

const sekrit = "sekrit-0123456789"

var selfSigned tls.Certificate

// overTLS serves the demo over TLS with a certificate that signs itself.
func overTLS(stop *stops) dialing {
	dial, end := inmemory.HTTPS(&tls.Config{Certificates: []tls.Certificate{selfSigned}, MinVersion: tls.VersionTLS12}, served())
	*stop = append(*stop, end)
	return dial
}

// Each failure is mended by the key that its screen names, and the second attempt says what it was
// before. What was typed hidden is nowhere but in the server.
func TestRemedies_MendInPlace(t *testing.T) {
	selfSigned = certtest.SelfSigned(t, "localhost")
	for i := range mendings {
		m := &mendings[i]
		t.Run(m.name, func(t *testing.T) {
			m.run(t, func(d *driver, s *session.Session, saved chan<- watch.Burst) {
				if m.client.ConnectTimeout == 0 {
					d.sleep(31 * time.Second)
				}
				d.sees(m.sees...)
				before := s.State().Attempt
				d.press(m.keys)
				if m.after != nil {
					m.after(d)
				}
				if m.watches {
					saved <- watch.Burst{Changes: []watch.Change{{Path: "/srv/server.js"}}}
				}
				d.sleep(2 * time.Second)
				d.press("1")
				d.sees(append(m.then, "● connected")...)
				if s.State().Attempt == before {
					t.Error("there was no second attempt")
				}
				d.press("y")
				d.lacks(sekrit)
				if path := s.Store().Path(); m.record && path != "" {
					s.Store().Flush()
					text, err := os.ReadFile(path)
					if err != nil || strings.Contains(string(text), sekrit) {
						t.Errorf("%v, or the secret is in the recording", err)
					}
				}
				if d.term.mu.Lock(); strings.Contains(d.term.raw.String(), sekrit) {
					t.Error("the secret was on the screen")
				}
				d.term.mu.Unlock()
			})
		})
	}
}

// called plays a server whose tool forecast answers as the number of the call says.
func called(answer func(n int32, p *process) string) func(_ client.Target, p *process, in io.Reader, out io.Writer) int {
	var calls atomic.Int32
	return func(_ client.Target, p *process, in io.Reader, out io.Writer) int {
		results := maps.Clone(forecast)
		for {
			delete(results, "tools/call")
			id, method := nextRequest(in, out, results)
			if method == "" {
				return 0
			}
			text := answer(calls.Add(1), p)
			if text == "exit" {
				return 1
			}
			if text != "" {
				fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, text)
			}
		}
	}
}

// nextRequest answers requests until one has no result by its method.
func nextRequest(in io.Reader, out io.Writer, results map[string]string) (id, method string) {
	one := make([]byte, 1)
	var line []byte
	for {
		if _, err := in.Read(one); err != nil {
			return "", ""
		}
		if line = append(line, one...); one[0] != '\n' {
			continue
		}
		var request struct {
			ID     json.RawMessage
			Method string
		}
		err := json.Unmarshal(line, &request)
		line = nil
		result, ok := results[request.Method]
		switch {
		case err != nil || request.ID == nil:
		case !ok:
			return string(request.ID), request.Method
		default:
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", request.ID, result)
		}
	}
}

const sunny = `"result":{"content":[{"type":"text","text":"Sunny again"}]}`

func TestRemedies_OfCalls(t *testing.T) {
	for _, m := range []mending{
		{
			name: "argument", process: called(func(n int32, _ *process) string {
				if n == 1 {
					return `"error":{"code":-32602,"message":"Invalid params: city must be a city of Europe"}`
				}
				return sunny
			}),
			sees: []string{"→ e correct the argument city"}, keys: "eX<enter>", then: []string{"Sunny again"},
		},
		{
			name: "tool error", process: called(func(n int32, _ *process) string {
				if n == 1 {
					return `"result":{"isError":true,"content":[{"type":"text","text":"missing argument 'city'"}]}`
				}
				return sunny
			}),
			sees: []string{"→ e correct the argument city"}, keys: "eX<enter>", then: []string{"Sunny again"},
		},
		{
			name: "timeout", client: client.Config{Timeout: 20 * time.Second}, process: called(func(n int32, _ *process) string {
				if n == 1 {
					return ""
				}
				time.Sleep(35 * time.Second)
				return sunny
			}),
			sees: []string{"timed out after 20.0 s", "→ alt+= send it again, and wait up to 40 s"}, keys: "<alt+=>", after: func(d *driver) { d.sleep(40 * time.Second) }, then: []string{"Sunny again"},
		},
		{
			name: "crash", process: called(func(n int32, p *process) string {
				if n == 1 {
					p.stderr("KeyError: 'city'")
					return "exit"
				}
				return sunny
			}),
			sees: []string{"→ r restart and send again"}, keys: "r", then: []string{"Sunny again"},
		},
	} {
		t.Run(m.name, func(t *testing.T) {
			m.target = commandOf("node", "server.js")
			m.run(t, func(d *driver, _ *session.Session, _ chan<- watch.Burst) {
				d.tool("forecast")
				d.press("Oslo")
				d.command("call.send")
				d.sleep(25 * time.Second)
				d.command("result")
				d.sees(m.sees...)
				d.press(m.keys)
				if m.after != nil {
					m.after(d)
				}
				d.sees(m.then...)
			})
		})
	}
}

// What waiting does not change is not met with more of it.
func TestRemedies_TimeoutWithACause(t *testing.T) {
	m := mending{client: client.Config{Timeout: 20 * time.Second}, target: commandOf("node", "server.js")}
	m.process = func(_ client.Target, _ *process, in io.Reader, out io.Writer) int {
		for {
			results := maps.Clone(forecast)
			delete(results, "tools/call")
			id, method := nextRequest(in, out, results)
			if method == "" {
				return 0
			}
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":"%s","result":{}}`+"\n", id)
		}
	}
	m.run(t, func(d *driver, _ *session.Session, _ chan<- watch.Burst) {
		d.tool("forecast")
		d.press("Oslo")
		d.command("call.send")
		d.sleep(30 * time.Second)
		d.command("result")
		d.sees("timed out after 20.0 s")
		d.sees(`in its type as well: "3"`, "is not 3.")
		d.lacks("send it again, and wait")
	})
}
