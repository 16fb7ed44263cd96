package stdio

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// What is written arrives, and a deadline and the end of the stream are noticed, whether a read
// lingers or waits.
func TestPipe_Linger(t *testing.T) {
	p, w, err := newPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	text := strings.Repeat("0123456789\n", 20_000)
	for _, on := range []bool{false, true, true, false, true} {
		p.linger(on)
		if err := p.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("without data: %v", err)
		}
		if err := p.SetReadDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
		p.linger(on)
		go func() {
			for rest := text; rest != ""; {
				n := min(len(rest), 1+len(rest)%1000)
				_, _ = w.WriteString(rest[:n])
				rest = rest[n:]
			}
		}()
		got := make([]byte, len(text))
		if _, err := io.ReadFull(p, got); err != nil || string(got) != text {
			t.Fatalf("lingers %v: %v", on, err)
		}
	}
	p.linger(true)
	go func() { _ = w.Close() }()
	if n, err := p.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("at the end: %d, %v", n, err)
	}
}
