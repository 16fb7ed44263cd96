package store

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
)

func besideFrame(dir transport.Direction, text string) transport.Frame {
	return transport.Frame{Dir: dir, Time: time.Now(), Bytes: []byte(text), Ending: "\n", Envelope: jsonrpc.Scan([]byte(text))}
}

// Connections beside that of the session use the same ids at the same time.
func TestBeside_ConnectionsAreCorrelatedByThemselves(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcptea.jsonl")
	s, err := Create(Options{Path: path}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	s.Connection(record.Connection{What: record.ConnectionOpened, Transport: "stdio"})
	a, b := s.Beside(record.Connection{Transport: "stdio"}), s.Beside(record.Connection{Transport: "http"})
	const request, response = `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`
	rows := []int32{
		s.Append(besideFrame(transport.Out, request)),   // 0
		a.Append(besideFrame(transport.Out, request)),   // 1
		b.Append(besideFrame(transport.Out, request)),   // 2
		a.Append(besideFrame(transport.In, response)),   // 3
		b.Append(besideFrame(transport.In, "not JSON")), // 4
		s.Append(besideFrame(transport.In, response)),   // 5
	}
	b.Exchange(transport.Exchange{ID: 1, Phase: transport.ExchangeDone, Method: "GET", URL: "http://x/", Status: 405, Failed: true})
	b.Process(transport.ProcessEvent{What: transport.ProcessExited, Time: time.Now(), ExitCode: 3})
	b.Close("")
	a.Close("")
	check := func(t *testing.T, s *Store) {
		t.Helper()
		for row, want := range map[int]struct {
			conn uint16
			pair int32
		}{0: {1, 5}, 1: {2, 3}, 2: {3, None}, 3: {2, 1}, 5: {1, 0}} {
			r, _ := s.Row(int32(row))
			if r.Conn != want.conn || r.Pair != want.pair {
				t.Errorf("row %d: connection %d, pair %d; want %+v", row, r.Conn, r.Pair, want)
			}
			if r.Flags&(DuplicateID|UnknownID|DuplicateResponse|Late) != 0 {
				t.Errorf("row %d: flags %b", row, r.Flags)
			}
		}
		if r, _ := s.Row(2); r.Flags&Abandoned == 0 {
			t.Error("the end of a connection does not end its requests")
		}
		for row, want := range []string{request, request, request, response, "not JSON", response} {
			if body, err := s.Body(rows[row]); err != nil || string(body) != want {
				t.Errorf("row %d: %q %v", row, body, err)
			}
		}
		if body, err := s.Body(7); err != nil || !strings.Contains(string(body), "code 3") {
			t.Errorf("the exit: %q %v", body, err)
		}
		if n := s.Snapshot().Pending; n != 0 || s.Conn() != 1 {
			t.Errorf("%d pending, connection %d", n, s.Conn())
		}
	}
	check(t, s)
	s.Disconnected(1, "")
	if c := s.Connections(); len(c) != 3 || c[0].Closed.IsZero() {
		t.Errorf("connections %+v", c)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	loaded, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = loaded.Close() }()
	if err := loaded.Load(context.Background()); err != nil {
		t.Fatal(err)
	}
	check(t, loaded)
}

// TestBeside_ExchangeNumbers counts the exchanges of several connections beyond 65,536:
// none has the number of another one.
func TestBeside_ExchangeNumbers(t *testing.T) {
	s, err := Create(Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	numbers := map[uint32]bool{}
	for range 3 {
		b := s.Beside(record.Connection{Transport: "http"})
		for id := uint32(1); id <= 1<<16+2; id++ {
			n := b.exchange(id)
			if n < 1<<31 || numbers[n] {
				t.Fatalf("exchange %d of connection %d has the number %d", id, b.Conn(), n)
			}
			numbers[n] = true
		}
		if first := b.exchange(1); first != b.exchange(1) || b.exchange(0) != 0 {
			t.Error("an exchange has two numbers")
		}
	}
}

// TestExchanges_Bound has connections beside that of the session with as many exchanges as
// are kept, and one more.
func TestExchanges_Bound(t *testing.T) {
	const maxExchanges = 2000
	s, err := Create(Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var first, last uint32
	for range maxExchanges / 50 {
		b := s.Beside(record.Connection{Transport: "http"})
		for id := uint32(1); id <= 50; id++ {
			for _, phase := range []transport.ExchangePhase{transport.ExchangeSent, transport.ExchangeHeaders, transport.ExchangeDone} {
				b.Exchange(transport.Exchange{ID: id, Phase: phase, Method: "POST"})
			}
			if last = b.exchange(id); first == 0 {
				first = last
			}
		}
	}
	if _, ok := s.ExchangeOf(first); !ok || len(s.exchanges) != maxExchanges {
		t.Errorf("%d exchanges are kept, the first one: %v", len(s.exchanges), ok)
	}
	s.Exchange(&transport.Exchange{ID: 1, Phase: transport.ExchangeDone, Method: "POST", Status: 200})
	if _, ok := s.ExchangeOf(first); ok || len(s.exchanges) != maxExchanges {
		t.Errorf("%d exchanges are kept, the first one: %v", len(s.exchanges), ok)
	}
	if _, ok := s.ExchangeOf(last); !ok {
		t.Error("a new exchange is forgotten")
	}
	if x, ok := s.LastExchange(); !ok || x.ID != 1 {
		t.Errorf("the last exchange is %d, %v", x.ID, ok)
	}
}
