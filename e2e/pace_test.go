//go:build linux

package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// ownShare is how much of a core this process takes while something goes on.
func ownShare(t testing.TB, during func()) float64 {
	t.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before, begin := used(), time.Now()
	during()
	return float64(used()-before) / float64(time.Since(begin))
}

// plainReading is what it costs to read the same flood line by line and to
// decode each frame's envelope with encoding/json: nothing is kept, paired,
// recorded or shown.
func plainReading(t testing.TB) float64 {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t), "demo", "--serve")
	stdin, stdout := startOverPipes(t, cmd)
	const say = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"plain","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"flood","arguments":{"count":600000,"perSecond":200000}}}
`
	if _, err := io.WriteString(stdin, say); err != nil {
		t.Fatal(err)
	}
	lines, frames := bufio.NewReaderSize(stdout, 64<<10), 0
	read := func(until time.Duration) {
		for begin := time.Now(); time.Since(begin) < until; frames++ {
			line, err := lines.ReadSlice('\n')
			if err != nil {
				t.Fatal(err)
			}
			var e struct {
				Version string          `json:"jsonrpc"`
				ID      json.RawMessage `json:"id"`
				Method  string          `json:"method"`
				Params  json.RawMessage `json:"params"`
				Result  json.RawMessage `json:"result"`
				Error   json.RawMessage `json:"error"`
			}
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatal(err)
			}
		}
	}
	read(500 * time.Millisecond)
	frames = 0
	cost := ownShare(t, func() { read(2 * time.Second) })
	if frames < 300_000 {
		t.Fatalf("only %d frames came in 2 s", frames)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // killed
	return cost
}
