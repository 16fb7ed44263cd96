package link

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/offer"
	"mcptea/offer/content"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// Request is a request of a command, and how its result is printed.
type Request struct {
	Method string
	Params []byte
	Frame  []byte            // sent instead of a frame that mcptea builds, or nil
	Name   string            // name of the tool or prompt, or the URI
	Lists  []client.ListKind // lists that have the name
	// UnknownMethod marks a method that the user wrote and that may be misspelled.
	UnknownMethod bool
	// AfterError prints more about an error response; it may be nil.
	AfterError func()
	// Print prints a result as text; nil is [Link.PrintResult]. It reports whether
	// the command has failed.
	Print func(result []byte) (failed bool, err error)
}

// Send sends a request and prints the response.
func (p *Link) Send(s *session.Session, r Request) error {
	w := p.watch(s)
	response, err := p.await(s, func() *session.Call {
		if r.Frame != nil {
			return s.StartFrame(r.Frame)
		}
		return s.Start(r.Method, r.Params)
	}, w.show)
	p.Err.Status("")
	return p.PrintResponse(s, r, response, err)
}

// PrintResponse prints the outcome of a request.
func (p *Link) PrintResponse(s *session.Session, r Request, response client.Response, err error) error {
	p.warnOfReplies(s)
	if err != nil {
		refusal := p.OutcomeAtEnd(s, err)
		if p.JSON && !p.Filters() && response.Result() != nil {
			_ = p.printResponseJSON(response) // the input requests of the server
		}
		return refusal
	}
	p.WarnOfViolations()
	if p.JSON && (response.Err() == nil || !p.Filters()) {
		return p.printResponseJSON(response)
	}
	if err := response.Err(); err != nil {
		refusal := p.Outcome(s, err)
		if r.UnknownMethod {
			p.suggestMethod(r.Method, err)
		}
		p.suggest(s, r, response.Envelope.Error.Of(response.Frame))
		if r.AfterError != nil {
			r.AfterError()
		}
		return refusal
	}
	if r.Print == nil {
		r.Print = func(result []byte) (bool, error) { return p.PrintResult(r.Method, result), nil }
	}
	failed, err := r.Print(response.Result())
	if err == nil && failed {
		p.suggest(s, r, response.Result())
		known := failure.OfResponse(s, response)
		if hint := p.printKnown(known, p.capabilityHint(string(response.Result()))); hint != "" {
			p.Err.Row("try", hint)
		}
		err = app.Silent(app.ExitError)
	}
	return err
}

// mentions reports whether a string of a response has a text.
func mentions(response []byte, text string) bool {
	if !jsonrpc.Valid(response) {
		return false
	}
	tokens := jsonrpc.NewTokens(response)
	for token := tokens.Next(); token != nil; token = tokens.Next() {
		if tokenText, ok := jsonrpc.Unquote(token); ok && strings.Contains(tokenText, text) {
			return true
		}
	}
	return false
}

// suggest prints similar names if the server does not have the requested one. A list
// that was not fetched is fetched if the response mentions the name.
func (p *Link) suggest(s *session.Session, r Request, response []byte) {
	lists := s.State().Lists
	var missing []client.ListKind
	for _, k := range r.Lists {
		if lists[k.Name].Loaded.IsZero() {
			missing = append(missing, k)
		}
	}
	if len(missing) > 0 {
		isURI := r.Method != "resources/read" || strings.Contains(r.Name, ":")
		if r.Name == "" || isURI && !mentions(response, r.Name) {
			return
		}
		for _, k := range missing {
			s.Fetch(k)
		}
		var err error
		if lists, err = p.LoadLists(s, Nothing, missing...); err != nil {
			return // interrupted
		}
	}
	var names []string
	for _, k := range r.Lists {
		for _, i := range lists[k.Name].Items {
			names = append(names, i.Key())
		}
	}
	if len(names) == 0 || slices.Contains(names, r.Name) {
		return
	}
	if near := phrase.Nearest(r.Name, names); len(near) > 0 {
		fmt.Fprintf(p.Err, "Did you mean %s?\n", p.Err.Safe(strings.Join(near, ", ")))
		return
	}
	what := r.Lists[0].Name
	fmt.Fprintf(p.Err, "The server has %s; mcptea list %s shows them.\n", phrase.Count(len(names), strings.TrimSuffix(what, "s")), what)
	if more := p.MayGetMore(); more != "" {
		fmt.Fprintln(p.Err, more)
	}
}

// MayGetMore names capabilities that may make a server return longer lists, or returns "" if this
// client declares all of them.
func (p *Link) MayGetMore() string {
	missing := p.NotOffered()
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("A client that offers %s may get more: %s", strings.Join(missing, " and "), answersFor(missing))
}

// suggestMethod prints similar methods if the server does not have the requested one.
func (p *Link) suggestMethod(method string, err error) {
	var rpc *client.RPCError
	if _, known := revision.Lookup(method); known || !errors.As(err, &rpc) || !rpc.Code.Is(jsonrpc.CodeMethodNotFound) {
		return
	}
	var names []string
	for _, r := range revision.All() {
		for _, m := range revision.Methods(r, revision.Client) {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	if near := phrase.Nearest(method, names); len(near) > 0 {
		fmt.Fprintf(p.Err, "Did you mean %s?\n", strings.Join(near, ", "))
	}
}

// printResponseJSON prints the result or error as received, on one line.
func (p *Link) printResponseJSON(response client.Response) error {
	raw, code := response.Result(), app.ExitOK
	if response.Err() != nil {
		raw, code = response.Envelope.Error.Of(response.Frame), app.ExitError
	} else if content.ToolFailed(raw) {
		code = app.ExitError
	}
	if bytes.ContainsAny(raw, "\r\n") {
		// Line breaks occur between tokens only; the tokens are unchanged.
		var one bytes.Buffer
		if json.Compact(&one, raw) == nil {
			raw = one.Bytes()
		}
	}
	text := string(raw)
	if response.Err() != nil {
		text = `{"error":` + text + `}`
	}
	if err := p.PrintJSON(text); err != nil {
		return err
	}
	if code != app.ExitOK {
		return app.Silent(code)
	}
	return nil
}

// Do sends a request and waits for the outcome. It calls show after each event of the
// session. A signal cancels the request and is returned as the error.
func (p *Link) Do(s *session.Session, method string, params []byte, show func()) (client.Response, error) {
	return p.await(s, func() *session.Call { return s.Start(method, params) }, show)
}

// Await waits for the outcome of a call that start begins. A signal cancels it and is
// returned as the error.
func (p *Link) Await(s *session.Session, start func() *session.Call) (client.Response, error) {
	return p.await(s, start, Nothing)
}

// await is like do, for a call that start begins.
func (p *Link) await(s *session.Session, start func() *session.Call, show func()) (client.Response, error) {
	changed, stop := s.Store().Subscribe()
	defer stop()
	call := start()
	for {
		select {
		case <-call.Done():
			show()
			p.ShowTrace(s)
			return call.Outcome()
		case <-changed:
			show()
			select { // a flood would wake it for each frame
			case <-call.Done():
			case <-p.Ctx.Done():
			case <-time.After(showInterval):
			}
		case <-p.Ctx.Done():
			call.Cancel()
			select {
			case <-call.Done(): // immediately, except for a task, which tasks/cancel ends
			case <-time.After(taskCancelTimeout):
			case <-p.ForceCtx.Done():
			}
			p.printTaskOutcome(call)
			return client.Response{}, context.Cause(p.Ctx)
		}
	}
}

// showInterval is the minimum time between two checks for new progress of a call.
const showInterval = 2 * time.Millisecond

// taskCancelTimeout is the maximum wait for a server to cancel a task. It is shorter
// than the timeout of the watchdog.
const taskCancelTimeout = 1500 * time.Millisecond

// LoadLists waits until the session has fetched the lists.
func (p *Link) LoadLists(s *session.Session, show func(), kinds ...client.ListKind) (lists map[string]offer.List, err error) {
	err = s.Until(p.Ctx, func() bool {
		show()
		st := s.State()
		lists = st.Lists
		return !st.Begins && !slices.ContainsFunc(kinds, func(k client.ListKind) bool { return lists[k.Name].Loading })
	})
	return lists, err
}

// Nothing is a callback that shows nothing while a list is awaited.
func Nothing() {}

// printTaskOutcome prints the status of a task after an interrupt.
func (p *Link) printTaskOutcome(call *session.Call) {
	t, ok := call.Task()
	switch {
	case !ok:
	case t.Status == client.TaskCancelled:
		fmt.Fprintf(p.Err, "%s the task was cancelled\n", p.Err.Bad("mcptea:"))
	default:
		fmt.Fprintf(p.Err, "%s the task %s may still run: tasks/cancel was sent, and its status is %s\n",
			p.Err.Bad("mcptea:"), p.Err.Safe(t.ID), p.Err.Safe(string(t.Status)))
	}
}

// defaultTaskPoll is the poll interval of a task whose server does not declare one.
const defaultTaskPoll = time.Second

// TaskPoll returns the time until the next poll of a task: at least the interval that the server requests.
func TaskPoll(t client.Task) time.Duration {
	if t.Poll <= 0 {
		return defaultTaskPoll
	}
	return t.Poll
}
