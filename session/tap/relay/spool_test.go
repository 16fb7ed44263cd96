package relay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/session"
)

// What was read and waits does not keep the end of the stream from being known.
func TestSpool_KnowsEndWhileFramesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		s := newSpool(r)
		go func() {
			_, _ = io.WriteString(w, "one")
			_, _ = io.WriteString(w, "two")
			_ = w.Close()
		}()
		b := make([]byte, 10)
		if n, err := s.Read(b); string(b[:n]) != "one" || err != nil {
			t.Fatalf("%q, %v", b[:n], err)
		}
		if s.hasEnded() {
			t.Error("it has ended before it was read")
		}
		time.Sleep(time.Minute) // the frame waits
		if !s.hasEnded() {
			t.Error("the end is not known")
		}
		if n, err := s.Read(b); string(b[:n]) != "two" || err != nil {
			t.Errorf("%q, %v", b[:n], err)
		}
		if _, err := s.Read(b); !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
}

// However long what was read takes, the bytes keep their order, and at most maxSpool of them wait.
func TestSpool_OrderAndBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		r, w := io.Pipe()
		s := newSpool(r)
		var want bytes.Buffer
		go func() {
			for range 300 {
				b := make([]byte, 1+random.IntN(200_000))
				for i := range b {
					b[i] = byte(want.Len() + i)
				}
				want.Write(b)
				_, _ = w.Write(b)
				time.Sleep(time.Duration(want.Len()%7) * time.Millisecond)
			}
			_ = w.Close()
		}()
		var got bytes.Buffer
		buf := make([]byte, 100_000)
		for pause := 0; ; pause++ {
			n, err := s.Read(buf[:1+pause*7919%len(buf)])
			got.Write(buf[:n])
			if err != nil {
				break
			}
			s.mu.Lock()
			if waits := len(s.bytes); waits > maxSpool {
				t.Errorf("%d bytes wait", waits)
			}
			s.mu.Unlock()
			switch {
			case pause%100 == 7:
				time.Sleep(10 * time.Second)
			case pause%3 == 0:
				time.Sleep(time.Duration(pause%11) * time.Millisecond)
			}
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%d other bytes than the %d that were written", got.Len(), want.Len())
		}
	})
}

// Each frame that has waited for a server is recorded with the time at which it came, and for how long it
// has waited, also behind others.
func TestRelay_HeldFramesSayForHowLong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcptea.jsonl")
	synctest.Test(t, func(t *testing.T) {
		g := unstartedRig(t)
		g.r.Record = func() (*store.Writer, error) {
			return store.NewWriter(store.Options{Path: path}, record.Header{})
		}
		g.start(t)
		g.connected()
		done := make(chan error, 1)
		go func() { done <- g.r.RestartAfter(t.Context(), session.Cause{Text: "a.js saved"}) }()
		s := <-g.servers
		line := next(t, s, "initialize")
		for i := range 3 {
			g.sends(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 100+i))
			time.Sleep(time.Second)
		}
		e := jsonrpc.Scan([]byte(line))
		s.says(fmt.Sprintf(serverResult, e.ID.Of([]byte(line)).String()))
		_ = ended(done)
		for pings := 0; pings < 3; {
			if strings.Contains(next(t, s), "ping") {
				pings++
			}
		}
	})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for held := 1; held <= 3; held++ {
		if want := fmt.Sprintf(`"held":%d`, time.Duration(held)*time.Second); !strings.Contains(string(text), want) {
			t.Errorf("the recording lacks %s:\n%s", want, text)
		}
	}
}
