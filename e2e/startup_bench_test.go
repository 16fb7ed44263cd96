//go:build unix

package e2e

import (
	"bufio"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkInspector_Start is how much later a person sees the connection than the server
// alone takes to start and to answer.
//
//	go test ./e2e -run - -bench Inspector_Start -benchtime 15x
func BenchmarkInspector_Start(b *testing.B) {
	program(b) // built before the clock runs
	var bare, shown []float64
	for b.Loop() { // by turns, so that a slow spell of the machine hits both
		bare = append(bare, bareHandshake(b).Seconds())
		shown = append(shown, untilShown(b).Seconds())
	}
	server, screen := median(bare), median(shown)
	b.ReportMetric(1000*server, "ms-server-alone")
	b.ReportMetric(1000*screen, "ms-shown")
	b.ReportMetric(1000*(screen-server), "ms-more")
	b.ReportMetric(0, "ns/op")
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// bareHandshake starts the demo server and speaks the first words to it, with
// nothing of a client in between.
func bareHandshake(t testing.TB) time.Duration {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t), "demo", "--serve")
	begin := time.Now()
	stdin, stdout := startOverPipes(t, cmd)
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bare","version":"1"}}}`
	if _, err := io.WriteString(stdin, initialize+"\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := bufio.NewReader(stdout).ReadString('\n')
	took := time.Since(begin)
	if err != nil || !strings.Contains(answer, `"protocolVersion"`) {
		t.Fatalf("answered %q, %v", answer, err)
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return took
}

// untilShown starts the inspector on the same server and waits until the
// screen says that it is connected.
func untilShown(t testing.TB) time.Duration {
	t.Helper()
	begin := time.Now()
	term := onTerminal(t, "demo")
	term.shows("connected")
	took := time.Since(begin)
	term.types("\x03\x03") // twice leaves without a question, whatever is under way
	if code := term.ends(); code != 0 && code != 130 {
		t.Fatalf("exit code %d", code)
	}
	return took
}
