//go:build unix

package failure_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/internal/shell"
	"mcptea/session/explain/failure"
	"mcptea/session/explain/remedy"
	"mcptea/session/session"
)

// remedied is a failure, with what is done about it.
type remedied struct {
	ids    []string // of the rows whose remedy is done
	target func(t *testing.T) (target client.Target, heal func())
	change func(*session.Config)                // flags that were given
	flags  func(client.Target) []shell.Flag     // the same for the line
	blind  bool                                 // the system does not show the stdin of processes
	before func(t *testing.T)                   // of the whole
	typed  string                               // of a value that the user types
	edit   func(line string) string             // of a line; nil takes the proposal
	told   func(remedy.Run) (remedy.Run, error) // what only the user can do; nil is nothing but time
	idle   bool                                 // the server ends by itself, and no call is made
	within time.Duration                        // for the response that is waited for in vain; long when zero

	then string // what the second attempt says; empty if it connects, and a call is answered
}

// again is a time that heals: what failed has an end.
func again(target func(t *testing.T, healed func() bool) client.Target) func(t *testing.T) (client.Target, func()) {
	return func(t *testing.T) (client.Target, func()) {
		file := t.TempDir() + "/healed"
		healed := func() bool { _, err := os.Stat(file); return err == nil }
		made := target(t, healed)
		if made.IsStdio() {
			made.Env = append(made.Env, "MCPTEA_TEST_HEALED="+file)
		}
		return made, func() {
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}
}

// stays is a target that nothing but the remedy changes.
func stays(target func(t *testing.T) client.Target) func(t *testing.T) (client.Target, func()) {
	return func(t *testing.T) (client.Target, func()) { return target(t), func() {} }
}

// shows are actions after which there is no second attempt of mcptea: they show something.
var shows = []failure.Action{failure.ActionShell, failure.ActionLook}

// Each remedy that can be done is done in its situation, and the second attempt says what it says. One
// that is not followed by a better outcome has no place.
func TestRemedies_AreDone(t *testing.T) {
	all := slices.Concat(remediedStdio(), remediedHTTP(t), remediedTokens())
	seen := map[string]bool{}
	for _, r := range all {
		for _, id := range r.ids {
			seen[id] = true
			t.Run(id, func(t *testing.T) { r.check(t, id) })
		}
	}
	if runtime.GOOS != "linux" { // where the system shows the stdin of processes
		seen["timeout-unread"], seen["timeout-other-stdin"] = true, true
	}
	for id, action := range failure.ActionRows() {
		if !seen[id] && !slices.Contains(shows, action) {
			t.Errorf("the remedy of %s (%s) is not done", id, action)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		if failure.ActionRows()[id] == "" {
			t.Errorf("%s has no remedy that can be done", id)
		}
	}
}

func (r remedied) check(t *testing.T, id string) {
	t.Helper()
	if r.before != nil {
		r.before(t)
	} else {
		t.Parallel()
	}
	target, heal := r.target(t)
	cfg := session.Config{Target: target, Record: "off", Client: client.Config{Name: "test", Version: "0", ConnectTimeout: 20 * time.Second, Timeout: 20 * time.Second}}
	cfg.Target.Grace = 50 * time.Millisecond
	if r.change != nil {
		r.change(&cfg)
	}
	run, found := r.offered(t, cfg, id)
	heal()
	next, err := r.do(t, run, found)
	if err == nil {
		next, err = next.Read()
	}
	if err != nil {
		t.Fatalf("%+v: %v", found, err)
	}
	cfg.Target, cfg.Client, cfg.Authorization = next.Link.Target, next.Link.Client, next.Link.Authorization
	cfg.Client.ConnectTimeout, cfg.Client.Timeout = 20*time.Second, 20*time.Second
	after, _, failed := r.attempt(t, cfg, false)
	switch {
	case r.then == "" && failed != nil:
		t.Errorf("after %+v: %s %s", found, after.Sentence, after.Cause())
	case r.then != "" && (failed == nil || !strings.Contains(after.Sentence, r.then)):
		t.Errorf("after %+v: %v, want %s", found, after.Sentence, r.then)
	}
}

// offered is the remedy of a row for the failure of the first attempt. On a loaded machine a server may not
// have come as far as expected when the wait for it ends: then the wait is longer.
func (r remedied) offered(t *testing.T, cfg session.Config, id string) (remedy.Run, remedy.Remedy) {
	t.Helper()
	const most = 16
	for scale := time.Duration(1); ; scale *= 4 {
		if r.within != 0 {
			cfg.Client.ConnectTimeout, cfg.Client.Timeout = r.within*scale, r.within*scale
		}
		e, link, failed := r.attempt(t, cfg, true)
		if failed == nil {
			t.Fatal("it does not fail")
		}
		var flags []shell.Flag
		if r.flags != nil {
			flags = r.flags(cfg.Target)
		}
		run := remedy.NewRun(link, flags)
		all := remedy.Of(e, run, failed)
		mine := func(m remedy.Remedy) bool { return m.ID == id }
		if i := slices.IndexFunc(all, mine); i >= 0 {
			for all[i].Way == remedy.Line && i+1 < len(all) && mine(all[i+1]) { // the first one has the line as it is, for the user to correct
				i++
			}
			return run, all[i]
		}
		if r.within == 0 || scale == most {
			t.Fatalf("the remedies of %s %s are %+v", e.Sentence, e.Cause(), all)
		}
	}
}

// attempt connects and calls a tool.
func (r remedied) attempt(t *testing.T, cfg session.Config, first bool) (failure.Explanation, session.Link, error) {
	t.Helper()
	s, err := session.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.WithoutCancel(t.Context())) }()
	switch err = s.Connect(t.Context()); {
	case err != nil:
	case r.idle && first:
		if err = s.Until(t.Context(), func() bool { return s.State().Phase == session.Ended }); err == nil {
			err = s.State().Err
		}
	default:
		err = afterwards(s)
	}
	if timeout, ok := errors.AsType[*client.TimeoutError](err); ok && r.blind && first {
		timeout.Stdin = nil
	}
	return failure.Explain(err, failure.FactsOf(s)), s.Link(), err
}

// do does a remedy as the inspector does at its key.
func (r remedied) do(t *testing.T, run remedy.Run, m remedy.Remedy) (remedy.Run, error) {
	t.Helper()
	switch m.Way {
	case remedy.At:
		return run.With(m.Flag, m.Setting(m.Value))
	case remedy.Agree:
		if m.Flag == "url" {
			return run.Elsewhere(m.Value)
		}
		return run.With(m.Flag, m.Value)
	case remedy.Type:
		return run.With(m.Flag, m.Setting(r.typed))
	case remedy.Line:
		line := m.Value
		if r.edit != nil {
			line = r.edit(line)
		}
		return run.Parse(line)
	case remedy.Wait:
		return run, remedy.WaitFor(t.Context(), run.Link.Target)
	case remedy.Told:
		if r.told != nil {
			return r.told(run)
		}
	case remedy.Connect, remedy.Shell:
	}
	return run, nil
}
