//go:build unix

package failure_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/internal/test/raced"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// childEnv makes this binary a server on stdio: it names the broken one.
const childEnv = "MCPTEA_TEST_BROKEN"

func TestMain(m *testing.M) {
	if name := os.Getenv(childEnv); name != "" {
		children[name]()
		os.Exit(0)
	}
	// Heaps of a few MB are collected all the time, which is a fifth of the processor time.
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// broken is a server that cannot be connected to, with the expected explanation.
type broken struct {
	name   string
	target func(t *testing.T) client.Target // the child of this name when nil
	child  func()                           // what that does
	within time.Duration                    // for servers that are waited for in vain; long when zero
	call   time.Duration                    // for calls that are

	sentence string   // whole; "⋯" stands for what differs from run to run
	cause    string   // words of it
	try      string   // words of it
	evidence []string // "label text", whole or its beginning, "⋯" as above
	absent   []string // words that are nowhere
}

// children are the broken servers that run as another process.
var children = map[string]func(){}

// shown is what is known only where the system shows the stdin of processes, or else another text.
func shown(linux, other string) string {
	if runtime.GOOS == "linux" {
		return linux
	}
	return other
}

func register(all []broken) []broken {
	for _, b := range all {
		if b.child != nil {
			children[b.name] = b.child
		}
	}
	return all
}

// self is this binary as the server of a name.
func self(t *testing.T, name string, env ...string) client.Target {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The race detector would have each child wait a second before it ends.
	env = append(append(os.Environ(), childEnv+"="+name, "GORACE=atexit_sleep_ms=0"), env...)
	return client.Target{Argv: []string{path}, Env: env}
}

// TestBrokenServers connects to each of them for real. Most of the time of that
// is waiting, so many of them are met at once.
func TestBrokenServers(t *testing.T) {
	raced.Never(t, "starts dozens of servers for the words about them; the tests of client race their connections")
	const atOnce = 12
	all := slices.Concat(unstarted, speechless, underHTTP, overHTTP, misleading, asReportedHTTP, notReached, contradicted, decided, overStreams, asReported, inKinds, unfilled)
	said := make([]chan failure.Explanation, len(all))
	places := make(chan struct{}, atOnce)
	var running sync.WaitGroup
	defer running.Wait() // also if -run leaves rows out: their servers have files in the directories of the test
	for i, b := range all {
		said[i] = make(chan failure.Explanation, 1)
		running.Go(func() {
			defer close(said[i])
			places <- struct{}{}
			defer func() { <-places }()
			said[i] <- b.fails(t)
		})
	}
	for i, b := range all {
		t.Run(b.name, func(t *testing.T) { b.check(t, <-said[i]) })
	}
}

// fails connects and returns why that did not work. On a loaded machine a server
// may not have come as far as expected when the wait for it ends: then the waits
// are multiplied.
func (b broken) fails(t *testing.T) failure.Explanation {
	t.Helper()
	const most = 16
	for scale := time.Duration(1); ; scale *= 4 {
		if e := b.failsWithin(t, scale); scale == most || len(b.mismatches(e)) == 0 {
			return e
		}
	}
}

func (b broken) failsWithin(t *testing.T, scale time.Duration) failure.Explanation {
	t.Helper()
	cfg := session.Config{Record: "off", Client: client.Config{Name: "test", Version: "0", ConnectTimeout: b.within * scale, Timeout: 20 * time.Second}}
	if b.target != nil {
		cfg.Target = b.target(t)
	} else {
		cfg.Target = self(t, b.name)
	}
	cfg.Target.Grace = 50 * time.Millisecond * scale
	if b.call != 0 {
		cfg.Client.Timeout = b.call * scale
	}
	if b.within == 0 {
		cfg.Client.ConnectTimeout = 20 * time.Second
	}
	s, err := session.Open(cfg)
	if err != nil {
		t.Error(err)
		return failure.Explanation{}
	}
	defer func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	if err = s.Connect(t.Context()); err == nil {
		err = afterwards(s)
	}
	return failure.Explain(err, failure.FactsOf(s))
}

// connects reports why a server cannot be connected to.
func connects(t *testing.T, target client.Target) error {
	t.Helper()
	s, err := session.Open(session.Config{Target: target, Record: "off", Client: client.Config{Name: "test", Version: "0", ConnectTimeout: 20 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.WithoutCancel(t.Context())) }()
	return s.Connect(t.Context())
}

// afterwards is what becomes of a server that let us in.
func afterwards(s *session.Session) error {
	call := s.Start("tools/call", []byte(`{"name":"echo"}`))
	<-call.Done()
	_, err := call.Outcome()
	return err
}

func (b broken) check(t *testing.T, e failure.Explanation) {
	t.Helper()
	for _, text := range b.mismatches(e) {
		t.Error(text)
	}
	if t.Failed() || os.Getenv("SHOW") != "" {
		t.Logf("\n== %s\n%s", b.name, e.Text())
	}
}

// mismatches returns in which ways an explanation is not the expected one.
func (b broken) mismatches(e failure.Explanation) (list []string) {
	add := func(format string, values ...any) { list = append(list, fmt.Sprintf(format, values...)) }
	if !pattern(b.sentence, true).MatchString(e.Sentence) {
		add("the sentence is\n%s, want\n%s", e.Sentence, b.sentence)
	}
	if !strings.Contains(strings.ToLower(e.Cause()), strings.ToLower(b.cause)) || b.cause == "" && e.Cause() != "" {
		add("the cause %q does not contain %q", e.Cause(), b.cause)
	}
	if !strings.Contains(e.Try(), b.try) || b.try == "" && e.Try() != "" {
		add("the advice %q does not contain %q", e.Try(), b.try)
	}
	for _, want := range b.evidence {
		if !slices.ContainsFunc(e.Lines(), func(l failure.Line) bool { return pattern(want, false).MatchString(string(l.Kind) + " " + l.Text) }) {
			add("no line is %q", want)
		}
	}
	for _, words := range b.absent {
		if strings.Contains(e.Text(), words) {
			add("it has %q", words)
		}
	}
	return list
}

// pattern makes one of a text with gaps.
func pattern(text string, whole bool) *regexp.Regexp {
	parts := strings.Split(text, "⋯")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	re := `^` + strings.Join(parts, `.+?`)
	if whole {
		re += `$`
	}
	return regexp.MustCompile(re)
}
