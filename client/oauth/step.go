package oauth

import (
	"net/url"
	"slices"
	"time"

	"mcptea/client/secret"
)

// Step is one line of the checklist that getting a token goes through. It is
// reported each time its state changes; reports of one step share Flow and
// Index. The values are copies.
type Step struct {
	Flow   int // from 1: a connection may have to get a token several times
	Index  int // within the flow, from 0
	Of     int // how many steps the flow has; those from there on are no more
	Name   string
	Detail string // what came of it, or what it waits for
	State  State
	Start  time.Time
	Took   time.Duration // when it is done or has failed
	// Deadline is when a running step gives up.
	Deadline time.Time

	// Remarks are what was wrong and put up with, a sentence each.
	Remarks []string

	// Refusal is the newest rule that was broken, also where the flow went on
	// because of [Config.Lenient]; nil if there was none.
	Refusal *Refusal

	// URL is where a person has to go, whole; StepConsent alone has one. It
	// holds no secret, but who opens it can answer in that person's place.
	URL string
	// Opened says that the page was opened in a browser.
	Opened bool
}

// State says how far a step is.
type State uint8

// The states.
const (
	Waiting State = iota // not reached yet
	Running
	Done
	Failed
)

var stateNames = [...]string{"waiting", "running", "done", "failed"}

// String names the state as recordings do.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "unknown"
}

// The names of the steps. Which of them a flow has is for its grant to say.
const (
	StepChallenge = "challenge"            // why the server refused
	StepLoad      = "stored token"         // of an earlier time
	StepResource  = "resource metadata"    // RFC 9728
	StepServer    = "authorization server" // which one
	StepMetadata  = "server metadata"      // RFC 8414, OpenID Connect Discovery
	StepClient    = "client id"            // who we are to it
	StepConsent   = "consent"              // a person, by way of a browser
	StepIdentity  = "identity provider"    // RFC 8693
	StepRefresh   = "refresh"
	StepToken     = "token"
	StepStore     = "keep token" // for another time
)

// checklist reports the steps of one flow. One goroutine uses it.
type checklist struct {
	watch func(Step)
	flow  int
	steps []Step

	planned int // how many there will be, while they are being added
}

func newChecklist(watch func(Step), flow int, names ...string) *checklist {
	l := &checklist{watch: watch, flow: flow}
	l.plan(names)
	return l
}

func (l *checklist) add(name string) *Step {
	l.steps = append(l.steps, Step{Flow: l.flow, Index: len(l.steps), Name: name})
	l.report(len(l.steps) - 1)
	return &l.steps[len(l.steps)-1]
}

func (l *checklist) report(i int) {
	if l.watch != nil {
		s := l.steps[i]
		s.Of = max(len(l.steps), l.planned)
		s.Remarks = slices.Clone(s.Remarks)
		l.watch(s)
	}
}

// replan puts other steps in the place of those that were not reached.
func (l *checklist) replan(names ...string) {
	l.steps = slices.DeleteFunc(l.steps, func(s Step) bool { return s.State == Waiting })
	l.plan(names)
	if len(names) == 0 && len(l.steps) > 0 {
		l.report(len(l.steps) - 1) // for the number of the steps
	}
}

func (l *checklist) plan(names []string) {
	l.planned = len(l.steps) + len(names)
	for _, name := range names {
		l.add(name)
	}
	l.planned = 0
}

// begin starts a step; within is how long it may take, 0 when it waits for
// nobody.
func (l *checklist) begin(name, detail string, within time.Duration) {
	i := slices.IndexFunc(l.steps, func(s Step) bool { return s.Name == name && s.State == Waiting })
	if i < 0 {
		i = l.add(name).Index
	}
	s := &l.steps[i]
	s.State, s.Start, s.Detail = Running, time.Now(), detail
	if within > 0 {
		s.Deadline = s.Start.Add(within)
	}
	l.report(i)
}

// run returns the index of the step that is running, -1 when none is.
func (l *checklist) running() int {
	return slices.IndexFunc(l.steps, func(s Step) bool { return s.State == Running })
}

// remark notes something about the step that is running.
func (l *checklist) remark(text string) {
	if i := l.running(); i >= 0 && !slices.Contains(l.steps[i].Remarks, text) {
		l.steps[i].Remarks = append(l.steps[i].Remarks, text)
		l.report(i)
	}
}

// setRefusal notes the rule that was broken in the step that is running. A nil
// checklist does nothing.
func (l *checklist) setRefusal(r *Refusal) {
	if l == nil {
		return
	}
	if i := l.running(); i >= 0 {
		l.steps[i].Refusal = r
	}
}

// setURL says where a person has to go.
func (l *checklist) setURL(url string) {
	if i := l.running(); i >= 0 {
		l.steps[i].URL = url
		l.report(i)
	}
}

func (l *checklist) setOpened() {
	if i := l.running(); i >= 0 {
		l.steps[i].Opened = true
		l.report(i)
	}
}

func (l *checklist) finish(detail string) { l.end(Done, detail) }

// fail marks the step that is running, or that which would have come next.
func (l *checklist) fail(err error) {
	if l.running() < 0 {
		if i := slices.IndexFunc(l.steps, func(s Step) bool { return s.State == Waiting }); i >= 0 {
			l.begin(l.steps[i].Name, "", 0)
		}
	}
	l.end(Failed, err.Error())
}

func (l *checklist) end(state State, detail string) {
	if i := l.running(); i >= 0 {
		s := &l.steps[i]
		s.State, s.Detail, s.Took = state, detail, time.Since(s.Start)
		l.report(i)
	}
}

// MaskedURL is the URL without what would let somebody else answer in the place
// of the person who is asked. It is what may be written down.
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
