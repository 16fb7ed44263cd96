// Package branch continues a recording: it connects to a server, repeats the frames of the recorded client up
// to a chosen frame, and leaves the session to the user.
//
// A call that is not read-only is sent only if the user consents. While frames are repeated, requests of the
// server get the recorded responses.
package branch

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/offer/diff"
	"mcptea/record/store"
	"mcptea/session/question"
	"mcptea/session/runs/pins"
	"mcptea/session/runs/replay"
	"mcptea/session/session"
)

// Options selects where a session continues, and which requests are sent again.
type Options struct {
	File  string // file of the recording, as named by the user
	Until int    // number of the first frame that is not sent again; 0 sends all frames
	// OnlyReadOnly leaves out calls that are not read-only, without a question.
	OnlyReadOnly bool
	Allowed      []string // tools whose calls are sent without a question
	Compare      diff.Options
}

// Origin returns the recording and the frame, as in [record.Header].
func (o *Options) Origin() string {
	name := filepath.Base(o.File)
	if o.Until > 0 {
		name += fmt.Sprintf("#%d", o.Until)
	}
	return name
}

// A Phase is the progress of a branch.
type Phase uint8

// The values of [Phase].
const (
	Waiting Phase = iota // waits for the connection
	Sending
	Live   // the user continues
	Failed // not all frames could be sent again
)

// maxRest bounds [Branch.Rest].
const maxRest = 2000

// maxDetailed bounds the results that keep the lines of their differences.
const maxDetailed = 1000

// Branch is one session that continues a recording. Its methods may be called from any goroutine.
type Branch struct {
	Options
	Name string // "A" for the first one of a recording
	// Rest are the requests of the recording that are not sent again, in their order, and More is the
	// number of further requests.
	Rest []replay.Result
	More int
	// Earlier are the branches of the same recording before this one, oldest first.
	Earlier []Made

	turns   *replay.Transcript
	replay  *replay.Replay
	found   func(replay.Result) // called with each result; may be nil
	session *session.Session    // set by Run, before the first question

	questions *question.Queue[Question]

	mu      sync.Mutex
	phase   Phase
	err     error
	results []Result
	counts  replay.Report
	// readOnly maps the names of the tools that the server has listed to whether each tool of the name was
	// annotated as read-only: the server decides which of several it calls.
	readOnly map[string]bool
	allTools map[string]bool // tools whose more calls the user has allowed
}

// Question is a call that the user must decide about. Its texts are untrusted.
type Question struct {
	ID   int    // number, from 1
	From string // the frame of the recording
	Tool string // empty for another request than a call
	Call client.Proposal
}

// A Result is the outcome of a request, with the rows of the new request and its response, or [store.None].
type Result struct {
	replay.Result
	Request, Response int32
}

// maxQuestions bounds the calls that wait for the user, who decides one after the other, in order. A later
// one ends the branch.
const maxQuestions = 10_000

// New returns a branch of a recording. found is called for each request of the recording,
// one call at a time; it may be nil.
func New(turns *replay.Transcript, o Options, found func(replay.Result)) *Branch {
	b := &Branch{Options: o, Name: "A", found: found, turns: turns}
	if o.Until > 0 {
		b.Rest, b.More = turns.Requests(int32(o.Until)-1, maxRest)
	}
	b.questions = question.New[Question](maxQuestions, func() { b.session.Store().Notify() })
	b.replay = replay.New(turns, o.Compare, b.add)
	return b
}

// Frame returns a frame of the recording by its number.
func (b *Branch) Frame(number int) ([]byte, error) { return b.turns.Frame(int32(number) - 1) }

// Replay returns the replay of the branch.
func (b *Branch) Replay() *replay.Replay { return b.replay }

// Dial returns a function for [session.Config.Dial] that creates clients with dial. Only the first connection
// continues the recording.
func (b *Branch) Dial(dial func(client.Tap, client.Config) *client.Client) func(client.Tap, client.Config) *client.Client {
	first := true
	return func(tap client.Tap, cfg client.Config) *client.Client {
		if !first {
			return dial(tap, cfg)
		}
		first = false
		live := cfg.OnServerRequest
		b.replay.Continue(replay.Continuation{Until: int32(b.Until) - 1, Allow: b.allow, Unexpected: live})
		if err := b.replay.Configure(&cfg); err != nil {
			b.end(Failed, err)
		}
		recorded := cfg.OnServerRequest
		cfg.OnServerRequest = func(q client.ServerRequest) {
			if b.State().Phase == Sending {
				recorded(q)
				return
			}
			live(q)
		}
		c := dial(tap, cfg)
		b.replay.Use(c)
		return c
	}
}

// Run sends the frames again when the session is connected, and returns when the user can continue. The
// error comes from the recording or the context, or is the reason why the connection ended.
func (b *Branch) Run(ctx context.Context, s *session.Session) error {
	if st := b.State(); st.Phase != Waiting {
		return st.Err
	}
	b.session = s
	s.Store().Inform("branch of " + b.Origin() + ": its frames are sent again")
	b.end(Sending, nil)
	err := b.replay.Run(ctx)
	if err != nil {
		s.Store().Note("branch: not all frames were sent again: " + err.Error())
		b.end(Failed, err)
	} else {
		st := b.State()
		s.Store().Inform("branch: live from here; " + st.Counts.Counts())
		b.end(Live, nil)
		for _, kind := range s.Config().Lists {
			s.Fetch(kind)
		}
	}
	s.Store().Notify()
	return err
}

func (b *Branch) end(p Phase, err error) {
	b.mu.Lock()
	b.phase, b.err = p, err
	b.mu.Unlock()
}

func (b *Branch) add(r replay.Result) {
	b.mu.Lock()
	b.counts.Count(r.State)
	kept := Result{r, store.None, store.None}
	if len(b.results) >= maxDetailed {
		kept.Rows, kept.Differences = nil, nil
	}
	if b.session != nil && r.Ref.Present() {
		kept.Request = r.Ref.Row()
		if row, ok := b.session.Store().Row(kept.Request); ok {
			kept.Response = row.Pair
		}
	}
	b.results = append(b.results, kept)
	if r.Method == "tools/list" && kept.Response != store.None {
		b.listed(kept.Response)
	}
	b.mu.Unlock()
	if b.found != nil {
		b.found(r)
	}
	if b.session != nil {
		b.session.Store().Notify()
	}
}

// State is a copy of the state of a branch.
type State struct {
	Phase   Phase
	Err     error         // set if Phase is Failed
	Results []Result      // results in the order of the responses; not changed later
	Counts  replay.Report // without its results
}

// State returns the state.
func (b *Branch) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return State{b.phase, b.err, b.results[:len(b.results):len(b.results)], b.counts}
}

// The reasons why calls are not sent.
const (
	notReadOnly = "it is not read-only"
	declined    = "you declined it"
	noUser      = "it is not read-only; --allow TOOL sends it"
)

// allow decides about a request that is to be sent again.
func (b *Branch) allow(ctx context.Context, turn *replay.Turn, frame []byte) (why string, err error) {
	params := client.ParseRequest(frame).Params
	tool := ""
	if turn.Method == "tools/call" {
		tool = jsonrpc.Text(params, "name")
	}
	call, err := client.Propose(turn.Method, params)
	switch {
	case err != nil:
		return err.Error(), nil
	case b.readsOnly(ctx, turn.Method, tool), tool != "" && b.isAllowed(tool):
		return "", nil
	case b.OnlyReadOnly, b.found != nil && tool == "":
		return notReadOnly, nil
	case b.found != nil:
		return noUser, nil
	}
	agreed, err := b.questions.Ask(ctx, func(id int) Question {
		return Question{id, fmt.Sprintf("frame #%d of %s", turn.Row+1, filepath.Base(b.File)), tool, call}
	})
	if err == nil && !agreed {
		why = declined
	}
	return why, err
}

// Question returns the call that the user must decide about, if there is one.
func (b *Branch) Question() (Question, bool) { return b.questions.Next() }

func (b *Branch) isAllowed(tool string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(b.Allowed, tool) || b.allTools[tool]
}

// AllowedTools returns the tools whose calls are sent without a question: the tools allowed before, and
// the tools that the user has allowed during the branch.
func (b *Branch) AllowedTools() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	tools := slices.AppendSeq(slices.Clone(b.Allowed), maps.Keys(b.allTools))
	slices.Sort(tools)
	return slices.Compact(tools)
}

// AllowAll sends the call with the id, and all later calls of its tool in this branch.
func (b *Branch) AllowAll(id int) {
	q, ok := b.questions.Next()
	if !ok || q.ID != id || q.Tool == "" {
		return
	}
	b.mu.Lock()
	if b.allTools == nil {
		b.allTools = map[string]bool{}
	}
	b.allTools[q.Tool] = true
	b.mu.Unlock()
	b.questions.Decide(id, true)
}

// Decide sets the decision about a call. It has no effect if the call was already decided.
func (b *Branch) Decide(id int, agreed bool) { b.questions.Decide(id, agreed) }

// harmless lists methods that do not only read, but concern only the connection or something that a call has
// begun.
var harmless = []string{"resources/subscribe", "resources/unsubscribe", "subscriptions/listen", revision.EventsStream, "logging/setLevel", "tasks/get", "tasks/result"}

// readsOnly reports a request that changes nothing in the world of the server: all methods
// that only read or concern the connection, and calls of tools that the server has annotated
// as read-only.
func (b *Branch) readsOnly(ctx context.Context, method, tool string) bool {
	if tool == "" {
		return pins.Reads(method) || slices.Contains(harmless, method)
	}
	b.mu.Lock()
	only, listed := b.readOnly[tool]
	b.mu.Unlock()
	if listed {
		return only
	}
	list, err := b.session.List(ctx, client.Tools) // the recorded client has not fetched it
	return err == nil && list.IsReadOnly(tool)
}

// listed records the tools in a response to tools/list. The caller holds the lock.
func (b *Branch) listed(row int32) {
	body, err := b.session.Store().Body(row)
	if err != nil {
		return
	}
	if b.readOnly == nil {
		b.readOnly = map[string]bool{}
	}
	array, _ := jsonrpc.Member(body, "result", "tools")
	for one := range jsonrpc.Elements(array) {
		name := jsonrpc.Text(one, "name")
		only, twice := b.readOnly[name]
		b.readOnly[name] = client.IsReadOnly(one) && (only || !twice)
	}
}

// Sentence returns a sentence about the phase, or "" while the branch is live.
func (s *State) Sentence() string {
	switch s.Phase {
	case Waiting:
		return "Waiting for the connection."
	case Sending:
		return "The frames of the recording are sent again."
	case Failed:
		return phrase.Capital(s.Err.Error()) + "."
	}
	return ""
}
