package probes_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
)

// Each handshake and each stateless request of a probe names the client that mcptea is with --as-client, and declares
// its capabilities and its versions, unless the probe is about these.
func TestProbes_AreTheClient(t *testing.T) {
	raced.ByNight(t, "two whole checks")
	as := hosts.Client("claude-code")
	info := string(as.ClientInfo())
	if info == "" || len(as.Requested()) == 0 {
		t.Fatal("the client has no name, or no versions")
	}
	for _, v := range []revision.Revision{revision.R20251125, revision.R20260728} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var frames [][]byte
			inner := sessiontest.Demo(demo.Options{Pace: time.Millisecond})
			connect := sessiontest.Dial(func(ctx context.Context, in io.Reader, out io.Writer) error {
				seen, pipe := io.Pipe()
				done := make(chan struct{})
				go func() {
					defer close(done)
					lines := bufio.NewReader(seen)
					for {
						line, err := lines.ReadBytes('\n')
						mu.Lock()
						frames = append(frames, bytes.Clone(line))
						mu.Unlock()
						if err != nil {
							return
						}
					}
				}()
				err := inner(ctx, io.TeeReader(in, pipe), out)
				_ = pipe.Close()
				<-done
				return err
			})
			_, err := probes.Run(context.Background(), probe.Config{
				Client: client.Config{Name: "mcptea", Version: "1", Revision: v, As: as}, Seed: 1, MaxTime: 10 * time.Hour,
				Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			named := 0
			for _, frame := range frames {
				params := jsonrpc.Get(frame, "params")
				got, caps := jsonrpc.Get(params, "_meta", revision.MetaClientInfo), jsonrpc.Get(params, "_meta", revision.MetaClientCapabilities)
				want := as.ClientCapabilities(true)
				if jsonrpc.Text(frame, "method") == "initialize" {
					got, caps, want = jsonrpc.Get(params, "clientInfo"), jsonrpc.Get(params, "capabilities"), as.ClientCapabilities(false)
				}
				if got == nil {
					continue
				}
				named++
				if string(got) != info {
					t.Errorf("%s: another clientInfo: %.300s", v, frame)
				}
				if caps != nil && !jsonrpc.Equal(caps, want) && !slices.Contains(declared, string(caps)) {
					t.Errorf("%s: other capabilities: %.300s", v, frame)
				}
			}
			if named < 20 {
				t.Errorf("%s: %d frames name a client", v, named)
			}
		})
	}
}

// declared are the capabilities that probes are about.
var declared = []string{
	"{}", "[]", `{"roots":{},"sampling":{},"elicitation":{"form":{},"url":{}}}`, `{"roots":{"listChanged":true}}`, `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`,
	`{"elicitation":{},"sampling":{},"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`,
}
