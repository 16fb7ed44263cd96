package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/demo"
)

func TestUpdates_Count(t *testing.T) {
	const notification = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":%q}}`
	long := "x:" + strings.Repeat("x", maxURI-2)
	for name, tt := range map[string]struct {
		frames []string
		want   map[string]int
	}{
		"plain":          {[]string{fmt.Sprintf(notification, "a:"), fmt.Sprintf(notification, "b:"), fmt.Sprintf(notification, "a:")}, map[string]int{"a:": 2, "b:": 1}},
		"escapes":        {[]string{`{"method":"notifications\/resources\/updated","params":{"uri":"a:\/\/b"}}`}, map[string]int{"a://b": 1}},
		"batch":          {[]string{"[" + fmt.Sprintf(notification, "a:") + `,{"method":"x","id":1},` + fmt.Sprintf(notification, "a:") + "]"}, map[string]int{"a:": 2}},
		"longest":        {[]string{fmt.Sprintf(notification, long)}, map[string]int{long: 1}},
		"too long":       {[]string{fmt.Sprintf(notification, long+"x")}, nil},
		"not a text":     {[]string{`{"method":"notifications/resources/updated","params":{"uri":1}}`, `{"method":"notifications/resources/updated"}`}, nil},
		"cut":            {[]string{`{"method":"notifications/resources/updated","params":{"uri":"a:`}, nil},
		"other messages": {[]string{`{"method":"notifications/message","params":{"uri":"a:"}}`, `{"method":"notifications/resources/updated","id":1,"params":{"uri":"a:"}}`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(Config{Target: client.Target{Argv: []string{"server"}}, Record: "off"})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close(context.Background()) }()
			for round := 1; round < 3; round++ { // what was counted is not counted again
				for _, frame := range tt.frames {
					arrives(s, frame)
				}
				got := s.State().Updates
				for uri, n := range tt.want {
					if got[uri].Count != n*round || got[uri].At.IsZero() {
						t.Errorf("%.20s: %+v, want %d", uri, got[uri], n*round)
					}
				}
				if len(got) != len(tt.want) {
					t.Errorf("%d resources, want %d", len(got), len(tt.want))
				}
			}
		})
	}
}

// More than one look can count wake the readers of the state until all are counted.
func TestUpdates_Flood(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		const reports = 3*maxCounted + 10
		for range reports {
			arrives(s, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:"}}`)
		}
		changed, stop := s.Store().Subscribe()
		defer stop()
		looks := 1
		for s.State().Updates["a:"].Count < reports {
			looks++
			select {
			case <-changed:
			case <-time.After(time.Minute):
				t.Fatalf("%d of %d are counted, and nothing follows", s.State().Updates["a:"].Count, reports)
			}
		}
		synctest.Wait()
		if looks > 6 {
			t.Errorf("%d looks", looks)
		}
	})
}

// idleWire is a client that does nothing with a frame.
type idleWire struct{ client.Wire }

func (idleWire) Handle(transport.Frame, transport.Ref) {}

// floods are notifications of which a server may send very many.
var floods = map[string]string{
	"updated":  `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///srv/data/measurements/00000042/00000042.json"}}`,
	"message":  `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"x","data":"a message of an ordinary length"}}`,
	"progress": `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":2}}`,
	"unknown":  `{"jsonrpc":"2.0","method":"x/y","params":{"a":[1,2,{"b":null}]}}`,
}

// The wire allocates nothing for a notification: less than one time in a thousand memory grows.
func TestReceive_Allocations(t *testing.T) {
	for name, text := range floods {
		t.Run(name, func(t *testing.T) {
			receive := receiver(t)
			frame := []byte(text)
			if n := testing.AllocsPerRun(20_000, func() { receive(frame) }); n != 0 {
				t.Errorf("%v allocations a frame", n)
			}
		})
	}
}

// receiver returns what has a session receive a frame of the server.
func receiver(tb testing.TB) func(frame []byte) {
	s, err := Open(Config{Target: client.Target{Argv: []string{"server"}}, Record: tb.TempDir() + "/flood.mcptea"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close(context.Background()) })
	wire := s.Tap().(*tap)
	now := time.Now()
	return func(frame []byte) {
		wire.Receive(transport.Frame{Bytes: frame, Envelope: jsonrpc.Scan(frame), Time: now, Dir: transport.In, Ending: "\n"}, idleWire{})
	}
}
