package inspector

import (
	"context"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/session"
	"mcptea/ui/program"
)

// benchModel is the whole screen over a store with many frames.
func benchModel(b *testing.B, frames int) *model {
	b.Helper()
	s, err := session.Open(session.Config{Target: client.Target{Argv: []string{"demo"}}, Record: "off"})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m, stop := newModel(ctx, s, Options{}, sections(Own{}))
	b.Cleanup(func() {
		cancel()
		stop()
		_ = s.Close(context.Background())
	})
	for i := range frames {
		text := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"flood","data":"message %d of a flood"}}`, i)
		s.Store().Append(transport.Frame{Bytes: text, Envelope: jsonrpc.Scan(text), Time: time.Now(), Dir: transport.In, Ending: "\n"})
	}
	m.W, m.H = 200, 50
	m.activeTab = 1
	m.Update(program.ChangeMsg{Now: time.Now()})
	return m
}

// BenchmarkScreen repaints all of a 200×50 screen, with rows that were not
// seen before.
func BenchmarkScreen(b *testing.B) {
	m := benchModel(b, 20000)
	b.ReportAllocs()
	at := int32(0)
	for b.Loop() {
		at = (at + 50) % 19000
		m.views.traffic.Select(at)
		m.Update(nil)
		if m.View().Content == "" {
			b.Fatal("nothing was painted")
		}
	}
}

// BenchmarkScreenBaseline asks for the screen when nothing has changed, which
// happens after every message.
func BenchmarkScreenBaseline(b *testing.B) {
	m := benchModel(b, 20000)
	m.View()
	b.ReportAllocs()
	for b.Loop() {
		if m.View().Content == "" {
			b.Fatal("nothing was painted")
		}
	}
}

// BenchmarkKey moves the cursor of Traffic by a key and paints the screen.
func BenchmarkKey(b *testing.B) {
	m := benchModel(b, 20000)
	m.Update(tea.KeyPressMsg{Text: "9", Code: '9'})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Update(tea.KeyPressMsg{Text: "k", Code: 'k'})
		if m.View().Content == "" {
			b.Fatal("nothing was painted")
		}
	}
}

// BenchmarkFlood records 100,000 frames, and paints the screen after each 10,000 of them.
func BenchmarkFlood(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		m := benchModel(b, 0)
		for i := range 100_000 {
			text := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"flood","data":"message %d of a flood"}}`, i)
			m.session.Store().Append(transport.Frame{Bytes: text, Envelope: jsonrpc.Scan(text), Time: time.Now(), Dir: transport.In, Ending: "\n"})
			if i%10_000 == 0 {
				m.Update(program.ChangeMsg{Now: time.Now()})
				if m.View().Content == "" {
					b.Fatal("nothing was painted")
				}
			}
		}
	}
}
