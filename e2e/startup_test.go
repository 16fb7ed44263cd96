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

// budget is how much longer it may take until a person sees the connection
// than the server takes to start and answer. The rest of the wait is the
// server's own.
const budget = 60 * time.Millisecond

// repetitions is how often both are measured. The median forgives the times
// when the machine had something else to do.
const repetitions = 15

// rounds is how often the whole is measured until it stays within the budget.
// Other work on the machine can make it slower and never faster, so one good
// round tells more than many bad ones.
const rounds = 4

func TestStartupAddsLittleToTheServer(t *testing.T) {
	skipUnlessQuiet(t)
	program(t) // built before the clock runs
	best := time.Hour
	for range rounds {
		if best = min(best, startupRound(t)); best <= budget {
			return
		}
	}
	t.Errorf("the screen takes %v longer than the server, more than %v", best, budget)
}

// startupRound returns how much longer the screen takes than the server.
func startupRound(t *testing.T) time.Duration {
	t.Helper()
	var bare, shown []time.Duration
	for range repetitions {
		// By turns, so that a slow spell of the machine hits both.
		bare = append(bare, bareHandshake(t))
		shown = append(shown, untilShown(t))
	}
	server, screen := median(bare), median(shown)
	more := screen - server
	const unit = 100 * time.Microsecond
	t.Logf("medians of %d: the server alone %v, mcptea demo on a terminal %v, %v more",
		repetitions, server.Round(unit), screen.Round(unit), more.Round(unit))
	return more
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// bareHandshake starts the demo server and speaks the first words to it, with
// nothing of a client in between.
func bareHandshake(t *testing.T) time.Duration {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t), "demo", "--serve")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
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
func untilShown(t *testing.T) time.Duration {
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
