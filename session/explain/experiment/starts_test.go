package experiment_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/explain/experiment"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// childEnv names what this binary does instead of its tests.
const childEnv = "MCPTEA_TEST_START"

// children are commands that fail. Each reads its stdin like a server, except the ones that do not get that far.
var children = map[string]func(){
	"exits":    func() { os.Exit(3) },
	"dies":     func() { dieAt("") },
	"discover": func() { dieAt("server/discover") },
	"crlf":     func() { answer(func(line string) bool { return strings.HasSuffix(line, "\r\n") }) },
	"buffered": func() { answer(func(string) bool { return os.Getenv("PYTHONUNBUFFERED") != "" }) },
	"silent":   func() { answer(func(string) bool { return false }) },
	"at-end":   func() { line, _ := io.ReadAll(os.Stdin); respond(string(line)) },
	"firstOnly": func() {
		first := true
		answer(func(line string) bool {
			ok := first && strings.Contains(line, `"initialize"`)
			first = false
			return ok
		})
	},
}

// dieAt exits at a method, or at each if it is "".
func dieAt(method string) {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			os.Exit(0)
		}
		if strings.Contains(line, method) {
			os.Exit(4)
		}
	}
}

// answer responds to the lines that fit.
func answer(fits func(line string) bool) {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if fits(line) {
			respond(line)
		}
	}
}

func respond(line string) {
	e := jsonrpc.Scan([]byte(strings.TrimSpace(line)))
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`+"\n", e.ID.Of([]byte(strings.TrimSpace(line))).String())
}

func TestMain(m *testing.M) {
	if child := children[os.Getenv(childEnv)]; child != nil {
		child()
		os.Exit(0)
	}
	if err := flag.Set("test.parallel", "8"); err != nil { // nearly all of their time they wait for servers
		panic(err)
	}
	os.Exit(m.Run())
}

func TestRun_StartsACommandAgain(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "PYTHONUNBUFFERED=") })
	for child, tt := range map[string]struct {
		cause  string // words of the conclusion, or ""
		starts int    // at most
	}{
		"exits":     {"It also ends (exit code 3) if nothing is sent to it", 1},
		"dies":      {"", 2},
		"crlf":      {"a message that ends with CR LF gets a response, and one that ends with LF gets no response", 3},
		"buffered":  {"Only PYTHONUNBUFFERED=1 differs", 4},
		"silent":    {"", 3},
		"at-end":    {"", 3},
		"firstOnly": {"Only the first message differs", 2},
	} {
		t.Run(child, func(t *testing.T) {
			t.Parallel()
			target := client.Target{Argv: []string{self, "server.py"}, Env: append(slices.Clip(env), childEnv+"="+child, "GORACE=atexit_sleep_ms=0"), Grace: 50 * time.Millisecond}
			s, err := session.Open(session.Config{Target: target, Record: "off", Client: client.Config{Name: "test", Version: "0", ConnectTimeout: 2 * time.Second}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Disconnect(context.WithoutCancel(t.Context())) })
			err = s.Connect(t.Context())
			if err == nil {
				t.Fatal("it connects")
			}
			report := experiment.Run(t.Context(), s, err, failure.Explain(err, failure.FactsOf(s)))
			// On a loaded machine a start may take longer than a user waits.
			for each := 8 * time.Second; each <= 32*time.Second && (report.Conclusion == nil) != (tt.cause == ""); each *= 4 {
				report = experiment.Starts(t.Context(), s, err, each)
			}
			if len(report.Tried) == 0 || len(report.Tried) > tt.starts {
				t.Errorf("%d starts: %+v", len(report.Tried), report.Tried)
			}
			switch c := report.Conclusion; {
			case tt.cause == "" && c != nil:
				t.Errorf("it shows %q", c.Cause)
			case tt.cause != "" && (c == nil || !strings.Contains(c.Cause, tt.cause)):
				t.Errorf("it shows %+v, tried %+v", c, report.Tried)
			}
		})
	}
}
