package failure

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/internal/phrase"
	"mcptea/session"
	"mcptea/session/record"
	"mcptea/session/stderr"
	"mcptea/session/store"
)

// Facts is what is known about a session around a failure. Secrets in target
// are redacted before they are shown.
type Facts struct {
	target    client.Target
	Connected bool // the handshake had been done
	Steps     []client.Step
	detection client.EraDetection // of which era the server is taken for, and why
	// authorization are the steps of the newest way to a token.
	authorization []oauth.Step
	suspectToken  bool               // a token of an earlier session was sent, and may be the reason
	Process       session.Process    // the zero value over HTTP
	stopped       bool               // a signal has stopped the process, see [stdio.IsStopped]
	stderr        []string           // the last lines
	Stray         []string           // what came on stdout and is no message, oldest first
	unmatched     []string           // raw ids of unmatched responses, each once
	changed       []record.Change    // what faults and breakpoints made of the newest frames, oldest first
	late          string             // the head of a late response
	pending       bool               // a request was pending when the connection ended
	idle          time.Duration      // from the last response to the end of the process; 0 without one
	environ       []string           // of mcptea itself; the zero value when that does not matter
	exchange      transport.Exchange // the last one; the zero value over stdio

	err    error  // what is explained
	method string // of the request that it is about, if it is one of connecting
}

// words are the lines in which a server may have written what is wrong with it.
func (f Facts) words() []string { return slices.Concat(f.Stray, f.stderr) }

const (
	stderrLines   = 200 // collected, to look for a reason in them
	strayLines    = 100
	stderrShown   = 8
	strayShown    = 5
	logReach      = 400    // how many log entries back these lines are looked for
	responseReach = 100    // how many rows back an unmatched response is
	pendingReach  = 10_000 // how many rows back a request without a response is
	textHead      = 200
)

// FactsOf collects the facts of a session: those of its current
// attempt to connect, since what an earlier server did explains nothing.
func FactsOf(s *session.Session) Facts {
	st := s.State()
	f := Facts{
		target: s.Target(), Connected: st.Phase == session.Ready || st.Phase == session.Ended,
		Steps: st.Steps, detection: st.Detection, authorization: st.Authorization, suspectToken: st.SuspectToken, Process: st.Process,
	}
	f.stopped = f.Process.Stopped || f.Process.PID != 0 && f.Process.Exited.IsZero() && stdio.IsStopped(f.Process.PID)
	// Of a command that was started twice, the second process counts.
	begin := st.Started
	if st.Process.Started.After(begin) {
		begin = st.Process.Started
	}
	if x, ok := s.Store().LastExchange(); ok && !x.Start.Before(st.Started) {
		f.exchange = x
	}
	for n := st.Logs - 1; n >= max(0, st.Logs-logReach); n-- {
		l, ok := s.Store().LogAt(n)
		if !ok || l.Time.Before(begin) {
			break
		}
		_, text := s.Store().LogText(l)
		switch {
		case l.Source == store.LogStray && len(f.Stray) < strayLines:
			f.Stray = append(f.Stray, text)
		case l.Source == store.LogStderr && len(f.stderr) < stderrLines:
			f.stderr = append(f.stderr, text)
		}
	}
	slices.Reverse(f.Stray)
	slices.Reverse(f.stderr)
	f.unmatched = unmatched(s.Store())
	f.changed = changed(s.Store())
	if st.Phase == session.Ended {
		f.lookForPending(s.Store())
	}
	if st.Phase == session.Failed && f.target.IsStdio() {
		f.late = late(s.Store(), st.Started.Add(st.Took))
		f.environ = os.Environ()
	}
	return f
}

// newest iterates over the rows of the current connection, the newest first, at most so
// many rows back.
func newest(st *store.Store, reach int) iter.Seq2[int32, store.Row] {
	return func(yield func(int32, store.Row) bool) {
		rows := st.Snapshot().Rows
		for i := rows - 1; i >= max(0, rows-reach); i-- {
			if r, ok := st.Row(int32(i)); ok && r.Conn == st.Conn() && !yield(int32(i), r) {
				return
			}
		}
	}
}

// lookForPending finds out whether the client waited for a response when the
// connection ended, and how long ago the last response had come. A subscription waits
// for none.
func (f *Facts) lookForPending(st *store.Store) {
	for _, r := range newest(st, pendingReach) {
		switch {
		case r.Dir == transport.In && r.Kind.IsResponse() && f.idle == 0:
			f.idle = max(0, f.Process.Exited.Sub(time.Unix(0, r.Time)))
		case r.Dir == transport.Out && r.Kind == jsonrpc.Request && st.Method(r.Method) != "subscriptions/listen":
			ended := r.Flags&(store.Pending|store.Abandoned) != 0 && r.Flags&(store.TimedOut|store.Cancelled) == 0
			f.pending = f.pending || ended
		}
	}
}

// changed finds what faults and breakpoints made of the newest frames, other than that
// they came later.
func changed(st *store.Store) []record.Change {
	var all []record.Change
	for i, r := range newest(st, responseReach) {
		switch r.Changed {
		case record.NotChanged, record.Forwarded, record.Delayed, record.Added:
			continue
		}
		if c, ok := st.Change(i); ok && len(all) < strayShown {
			all = append(all, c)
		}
	}
	slices.Reverse(all)
	return all
}

// unmatched finds the newest responses whose id no request has.
func unmatched(st *store.Store) []string {
	var ids []string
	for i, r := range newest(st, responseReach) {
		if r.Flags&store.UnknownID == 0 || r.Dir != transport.In {
			continue
		}
		if frame, err := st.Head(i, 64<<10); err == nil {
			if id := r.IDOf(frame); len(id) > 0 {
				ids = append(ids, string(id[:min(len(id), textHead)]))
			}
		}
	}
	slices.Reverse(ids)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), strayShown)]
}

// late finds the first response after a moment.
func late(st *store.Store, after time.Time) string {
	found := ""
	for i, r := range newest(st, responseReach) {
		if r.Time < after.UnixNano() {
			break
		}
		if r.Dir == transport.In && r.Kind.IsResponse() {
			if frame, err := st.Head(i, textHead); err == nil {
				found = string(frame)
			}
		}
	}
	return found
}

// attempt returns what was tried.
func (f Facts) attempt() []Line {
	if !f.target.IsStdio() {
		if f.target.URL == "" {
			return nil
		}
		lines := []Line{{Label: "url", Text: escape(f.target.String())}}
		for _, h := range HeaderLines(f.target.Header) {
			lines = append(lines, Line{Label: "header", Text: escape(f.target.Secrets().Redact(h))})
		}
		return lines
	}
	lines := []Line{{Label: "command", Text: CommandLine(f.target.Shown(f.target.Argv))}}
	if path := f.Process.Path; path != "" && path != f.target.Argv[0] {
		lines = append(lines, Line{Label: "path", Text: escape(path)})
	}
	if dir := f.target.Dir; dir != "" {
		lines = append(lines, Line{Label: "cwd", Text: escape(dir)})
	}
	if changes := CompareEnv(f.environ, f.target.Env); f.environ != nil && changes != "" {
		lines = append(lines, Line{Label: "env", Text: escape(f.target.Secrets().Redact(changes))})
	}
	return lines
}

// CommandLine is a command as one would type it into a shell, secrets masked.
func CommandLine(argv []string) string {
	words := secret.Args(argv)
	for i, w := range words {
		words[i] = escape(w)
		if w == "" || strings.ContainsAny(w, " \t\n\"'`$&|;<>()*?[]{}~#!\\") {
			words[i] = "'" + strings.ReplaceAll(words[i], "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

var stepWords = map[client.StepState]string{
	client.StepDone: "done", client.StepFailed: "failed", client.StepRunning: "still waiting",
}

// era returns the evidence for the era of the server. It is empty where nothing was
// detected, or the user has set the revision.
func (f Facts) era(err error) []Line {
	v := f.detection
	var nowhere *client.FallbackError
	if f.Connected || errors.As(err, &nowhere) || v.Era == revision.EraUnknown || v.DetectedBy == client.EraPinned {
		return nil
	}
	var lines []Line
	for i, because := range v.Evidence {
		if i == 0 {
			because = v.Era.String() + ": " + because
		}
		lines = append(lines, Line{"era", cut(because), true})
	}
	return lines
}

// steps returns the steps of connecting that were reached, without their details:
// these repeat the command line or the error.
func (f Facts) steps() []Line {
	if f.Connected {
		return nil // it got through; how is no longer of interest
	}
	var lines []Line
	width := 0
	for _, s := range f.Steps {
		width = max(width, len(s.Name))
	}
	for _, s := range f.Steps {
		if s.State == client.StepWaiting {
			continue
		}
		text := fmt.Sprintf("%-*s %s", width, s.Name, stepWords[s.State])
		if s.State == client.StepDone || s.State == client.StepFailed {
			text += " after " + transport.FormatDuration(s.Took)
		}
		lines = append(lines, Line{Label: "steps", Text: text})
	}
	return lines
}

// evidence returns what the process wrote and what was on the wire.
// byItself says that the process, if it has ended, was not ended by us.
func (f Facts) evidence(byItself bool) []Line {
	var lines []Line
	if p := f.Process; p.PID != 0 {
		lines = append(lines, Line{Label: "process", Text: lifeOf(p, byItself)})
	}
	if f.target.IsStdio() {
		for _, text := range Choice(f.Stray, strayShown) {
			lines = append(lines, Line{"stdout", cut(text), true})
		}
		for _, text := range Choice(f.stderr, stderrShown) {
			lines = append(lines, Line{"stderr", cut(text), true})
		}
		if f.Process.PID != 0 && len(f.stderr) == 0 && !f.Connected {
			lines = append(lines, Line{Label: "stderr", Text: "(nothing)"})
		}
	}
	for _, c := range f.changed {
		lines = append(lines, Line{"changed", fmt.Sprintf("#%d %s", c.Row+1, c.Text()), true})
	}
	for _, id := range f.unmatched {
		lines = append(lines, Line{"other id", "response id " + id + " matches no pending request", true})
	}
	if x := f.exchange; x.Status != 0 {
		lines = append(lines, Line{"http", exchangeLine(x), true})
	}
	return lines
}

// Choice returns the last lines, and before them the decisive one if it is not
// among them.
func Choice(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	decisive := stderr.Decisive(lines)
	if why, ok := known(lines, "stderr"); ok {
		decisive = why.line
	} else if i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `"jsonrpc"`) }); i >= 0 {
		decisive = lines[i]
	}
	last := lines[len(lines)-most:]
	holds := func(l string) bool { return strings.Contains(l, decisive) }
	if decisive == "" || slices.ContainsFunc(last, holds) {
		return last
	}
	return append([]string{decisive, "…"}, last[min(2, most):]...)
}

func lifeOf(p session.Process, byItself bool) string {
	text := fmt.Sprintf("pid %d", p.PID)
	if p.Exited.IsZero() {
		return text + ", still running"
	}
	after := transport.FormatDuration(p.Exited.Sub(p.Started))
	if !byItself || p.Expected {
		return text + ", stopped by mcptea after " + after
	}
	if p.Signal != "" {
		return text + ", terminated by " + p.Signal + " after " + after
	}
	return fmt.Sprintf("%s, exited with code %d after %s", text, p.ExitCode, after)
}

func exchangeLine(x transport.Exchange) string {
	text := fmt.Sprintf("%s %s → %d after %s", x.Method, x.URL, x.Status, transport.FormatDuration(x.FirstByte))
	if kind := x.ResponseHeader.Get("Content-Type"); kind != "" {
		text += ", " + kind
	}
	return cut(text)
}

// cut keeps the head of a line.
func cut(s string) string { return phrase.Clip(s, textHead) }
