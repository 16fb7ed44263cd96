// Package step provides a checklist for operations of several steps, such as connecting or getting an access
// token. Each change of a step is reported, so that a user sees what a client waits for and where it failed.
package step

import (
	"net/url"
	"slices"
	"sync"
	"time"

	"mcptea/client/secret"
)

// Step is one line of a checklist. It is reported each time it changes; reports
// of one step have the same Flow and Index.
type Step struct {
	Flow   int // 0 for connecting; the authorization flows of a client count from 1
	Index  int // within the flow, from 0
	Of     int // number of steps of an authorization flow
	Name   string
	Detail string // result, or the event that the step waits for
	State  State
	Start  time.Time
	Took   time.Duration // once it is done or has failed
	// Absent reports that a step ended without a result, so that the flow continued in another way, which
	// Detail describes.
	Absent bool
	// Deadline is the time at which a running step times out, or zero.
	Deadline time.Time

	// Remarks are problems that did not end the flow, a sentence each.
	Remarks []string
	// Refusal is the newest violation of a security rule, an *oauth.Refusal, even if the flow continued, or nil
	// if there was none.
	Refusal error
	// URL is the consent page that the user must open. With it anyone can answer
	// for the user; [Step.MaskedURL] may be recorded.
	URL string
	// Opened reports that the consent page was opened in a browser.
	Opened bool
}

// State is the state of a step.
type State uint8

// The values of [State].
const (
	Waiting State = iota // not started
	Running
	Done
	Failed
)

var stateNames = [...]string{"waiting", "running", "done", "failed"}

// String returns the name of the state in recordings.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "unknown"
}

// MaskedURL returns the URL with the state parameter and other secrets masked.
func (s Step) MaskedURL() string {
	u, err := url.Parse(s.URL)
	if err != nil || s.URL == "" {
		return ""
	}
	q := u.Query()
	if q.Has("state") {
		q.Set("state", "****")
	}
	u.RawQuery = q.Encode()
	return secret.URL(u.String())
}

// Redacted returns the step with the secrets redacted in the texts that it shows. It does not change URL,
// because the user must open it.
func (s Step) Redacted(secrets *secret.Values) Step {
	s.Detail, s.Refusal = secrets.Redact(s.Detail), secrets.Error(s.Refusal)
	for i := range s.Remarks {
		s.Remarks[i] = secrets.Redact(s.Remarks[i])
	}
	return s
}

// List is a checklist. Its methods may be called from any goroutine.
type List struct {
	flow   int
	report func(Step)

	mu      sync.Mutex // held during report
	steps   []Step
	planned int // number of steps while Plan adds them
}

// NewList returns an empty checklist. report must not block and must not call the
// list; it may be nil.
func NewList(flow int, report func(Step)) *List {
	if report == nil {
		report = func(Step) {}
	}
	return &List{flow: flow, report: report}
}

// Plan replaces the steps that were not begun.
func (l *List) Plan(names ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.steps = slices.DeleteFunc(l.steps, func(s Step) bool { return s.State == Waiting })
	l.planned = len(l.steps) + len(names)
	for _, name := range names {
		l.add(name)
	}
	l.planned = 0
	if len(names) == 0 && l.flow > 0 && len(l.steps) > 0 {
		l.changed(&l.steps[len(l.steps)-1]) // reports the new number of steps
	}
}

// add appends a waiting step. The caller holds l.mu, as for the other unexported
// methods.
func (l *List) add(name string) *Step {
	l.steps = append(l.steps, Step{Flow: l.flow, Index: len(l.steps), Name: name})
	s := &l.steps[len(l.steps)-1]
	l.changed(s)
	return s
}

func (l *List) changed(s *Step) {
	c := *s
	if l.flow > 0 {
		c.Of = max(len(l.steps), l.planned)
	}
	c.Remarks = slices.Clone(s.Remarks)
	l.report(c)
}

// newest returns the newest step of a name, or nil.
func (l *List) newest(name string) *Step {
	for i := range slices.Backward(l.steps) {
		if l.steps[i].Name == name {
			return &l.steps[i]
		}
	}
	return nil
}

// first returns the first step in a state, or nil.
func (l *List) first(state State) *Step {
	if i := slices.IndexFunc(l.steps, func(s Step) bool { return s.State == state }); i >= 0 {
		return &l.steps[i]
	}
	return nil
}

// Begin begins the newest step of a name. A timeout of 0 means no timeout. An
// authorization flow adds a step that is not planned; connecting skips it.
func (l *List) Begin(name, detail string, timeout time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.newest(name)
	if l.flow > 0 && (s == nil || s.State != Waiting) {
		s = l.add(name)
	}
	if s != nil {
		l.begin(s, detail, timeout)
	}
}

func (l *List) begin(s *Step, detail string, timeout time.Duration) {
	s.State, s.Start, s.Detail = Running, time.Now(), detail
	if timeout > 0 {
		s.Deadline = s.Start.Add(timeout)
	}
	l.changed(s)
}

// Extend moves the deadline of the running step, if it has one.
func (l *List) Extend(by time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.first(Running); s != nil && !s.Deadline.IsZero() {
		s.Deadline = s.Deadline.Add(by)
		l.changed(s)
	}
}

// End ends the newest step of a name, if it is running, and returns its name. An
// empty name means the running step.
func (l *List) End(name string, state State, detail string) string {
	return l.end(name, state, detail, false)
}

// EndAbsent ends the running step without a result, and returns its name.
func (l *List) EndAbsent(detail string) string { return l.end("", Done, detail, true) }

func (l *List) end(name string, state State, detail string, absent bool) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.first(Running)
	if name != "" {
		s = l.newest(name)
	}
	if s == nil || s.State != Running {
		return ""
	}
	s.State, s.Detail, s.Took, s.Absent = state, detail, time.Since(s.Start), absent
	l.changed(s)
	return s.Name
}

// Past notes the end of the newest step of a name that was not begun: it was part of a later one.
// If it failed, the steps after it are waiting ones; took is 0 if it is not known. It returns false if there is no such step.
func (l *List) Past(name string, state State, detail string, took time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.newest(name)
	if s == nil || s.State != Waiting {
		return false
	}
	for i := range l.steps[s.Index+1:] {
		if after := &l.steps[s.Index+1+i]; state == Failed && after.State != Waiting {
			if took == 0 { // the first of the later steps was started before the others
				took = time.Since(after.Start)
			}
			after.State, after.Took = Waiting, 0
			l.changed(after)
		}
	}
	s.State, s.Start, s.Detail, s.Took = state, time.Now().Add(-took), detail, took
	l.changed(s)
	return true
}

// Fail ends the running step, or the next one if none is running.
func (l *List) Fail(err error) {
	l.mu.Lock()
	if s := l.first(Waiting); s != nil && l.first(Running) == nil {
		l.begin(s, "", 0)
	}
	l.mu.Unlock()
	l.End("", Failed, err.Error())
}

// Set changes the running step, if there is one. The next report has the change.
func (l *List) Set(change func(*Step)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.first(Running); s != nil {
		change(s)
	}
}

// Update is like Set, and reports the change.
func (l *List) Update(change func(*Step)) {
	l.Set(func(s *Step) {
		change(s)
		l.changed(s)
	})
}

// Remark adds a remark to the running step, unless it has that already.
func (l *List) Remark(text string) {
	l.Set(func(s *Step) {
		if !slices.Contains(s.Remarks, text) {
			s.Remarks = append(s.Remarks, text)
			l.changed(s)
		}
	})
}

// Reset makes the running steps waiting ones.
func (l *List) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for s := l.first(Running); s != nil; s = l.first(Running) {
		s.State = Waiting
		l.changed(s)
	}
}

// Reopen makes the newest step of a name the running one again, if it is done.
func (l *List) Reopen(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.newest(name); s != nil && s.State == Done {
		s.State, s.Start = Running, time.Now()
	}
}
