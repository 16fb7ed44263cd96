package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/schema"
	"mcptea/internal/words/phrase"
	"mcptea/offer"
	"mcptea/offer/invoke"
	"mcptea/record/store"
	"mcptea/session/session"
)

func runConnect(ctx context.Context, r *run, st *step, words []string) error {
	c, err := connectionOf(words)
	if err != nil {
		return err
	}
	err = r.connect(ctx, c)
	if !st.negated {
		return err
	}
	if err == nil {
		return errors.New("the connection succeeded")
	}
	message := client.Params(map[string]string{"message": r.options.Explain(err.(errConnect).err)})
	r.last = outcome{method: "connect", known: true, value: message, isError: true}
	return nil
}

// connectionOf reads the words of connect.
func connectionOf(words []string) (c Connection, err error) {
	for len(words) > 0 {
		switch w := words[0]; {
		case w == "--":
			if c.Target.Argv = words[1:]; len(c.Target.Argv) == 0 {
				return c, errors.New("no command follows --")
			}
			return c, nil
		case (w == "--protocol" || w == "--env") && len(words) == 1:
			return c, fmt.Errorf("%s requires a value", w)
		case w == "--protocol":
			c.Protocol, words = words[1], words[2:]
		case w == "--env":
			c.Env, words = append(c.Env, words[1]), words[2:]
		case strings.HasPrefix(w, "http://") || strings.HasPrefix(w, "https://"):
			c.Target.URL, words = w, words[1:]
		default:
			return c, fmt.Errorf("%q is neither a flag of connect nor a URL; a command follows --", w)
		}
	}
	return c, nil
}

// formOf returns the form of the arguments of a tool.
type formOf func(tool string) (schema.Form, error)

// runRequest sends the request of a command.
func runRequest(ctx context.Context, r *run, st *step, words []string) error {
	if st.command.name == "call" && r.script.lints() {
		_, _ = r.list(ctx, client.Tools) // rules compare a result with the outputSchema; without a list the call says why
	}
	method, params, err := st.command.build(r, words, func(tool string) (schema.Form, error) {
		list, err := r.list(ctx, client.Tools)
		if item, ok := list.Find(tool); ok {
			return schema.Parse(item.Member("inputSchema")), err
		}
		return schema.Form{}, err
	})
	if err != nil {
		return err
	}
	return r.request(ctx, st, method, params)
}

func buildCall(r *run, words []string, form formOf) (method string, params []byte, err error) {
	given, err := r.reader().Read(words[1:])
	if err != nil {
		return "", nil, err
	}
	var f schema.Form
	if given.NeedSchema() {
		if f, err = form(words[0]); err != nil {
			return "", nil, err
		}
	}
	object, err := given.Encode(f)
	return "tools/call", invoke.Params(words[0], object), err
}

func buildPrompt(r *run, words []string, _ formOf) (method string, params []byte, err error) {
	given, err := r.reader().Read(words[1:])
	if len(given) > 0 {
		return "prompts/get", invoke.Params(words[0], given.Texts()), err
	}
	return "prompts/get", client.Params(map[string]string{"name": words[0]}), err
}

func buildRead(_ *run, words []string, _ formOf) (method string, params []byte, err error) {
	return "resources/read", client.Params(map[string]string{"uri": words[0]}), nil
}

func buildSend(r *run, words []string, _ formOf) (method string, params []byte, err error) {
	params, err = r.params(words)
	return words[0], params, err
}

func runNotify(ctx context.Context, r *run, _ *step, words []string) error {
	params, err := r.params(words)
	if err != nil {
		return err
	}
	if r.s == nil {
		return errNotConnected
	}
	call := r.s.StartFrame(jsonrpc.EncodeNotification(words[0], params))
	if err := r.until(ctx, func() bool { return !call.Running() }); err != nil {
		return err
	}
	_, err = call.Outcome()
	return err
}

var errNotConnected = errors.New("there is no connection; connect makes one")

// runRaw sends a frame. If it is a request, its response is the last result.
func runRaw(ctx context.Context, r *run, st *step, words []string) error {
	frame, err := r.content(words[0])
	if err != nil {
		return err
	}
	frame = bytes.TrimSuffix(frame, []byte("\n"))
	r.mark()
	request := client.ParseRequest(frame)
	return r.begun(ctx, st, request.Method, r.s.StartFrame(frame))
}

// request sends a request; with & it only begins.
func (r *run) request(ctx context.Context, st *step, method string, params []byte) error {
	r.mark()
	return r.begun(ctx, st, method, r.s.Start(method, params))
}

func (r *run) begun(ctx context.Context, st *step, method string, call *session.Call) error {
	if !st.background {
		return r.finish(ctx, st, method, call)
	}
	if r.pending != nil {
		return errors.New("another request is in the background; wait ends it")
	}
	r.pending, r.method = call, method
	// The next line must be sent after this request.
	return r.until(ctx, func() bool { return call.Ref().Present() || !call.Running() })
}

// finish waits for the outcome of a request. An error is a failure, unless the command
// is negated.
func (r *run) finish(ctx context.Context, st *step, method string, call *session.Call) error {
	if err := r.until(ctx, func() bool { return !call.Running() }); err != nil {
		call.Cancel()
		var late errTimeout
		if errors.As(err, &late) {
			return fmt.Errorf("no response to %s within %s", method, late.after)
		}
		return err
	}
	response, err := call.Outcome()
	return r.accept(st, method, response, err)
}

// accept stores the outcome of a request as the last outcome. An error is a failure, unless the command is
// negated or takes any response.
func (r *run) accept(st *step, method string, response client.Response, err error) error {
	switch {
	case err != nil:
		r.last = outcome{method: method, known: true, value: client.Params(map[string]string{"message": r.options.Explain(err)}), isError: true}
	case response.Frame == nil: // the step was not a request
		r.last = outcome{}
		return nil
	default:
		r.last = takenOutcome(method, response)
	}
	failed := r.last.isError || r.last.tool
	switch {
	case st.either:
		if err != nil && response.Frame == nil {
			return fmt.Errorf("no response to %s: %s", method, r.options.Explain(err))
		}
	case failed && !st.negated && r.last.tool:
		return fmt.Errorf("tool error: %s", short([]byte(textOf(r.last))))
	case failed && !st.negated:
		return fmt.Errorf("%s failed: %s", method, refusal(r.last.value))
	case !failed && st.negated:
		return fmt.Errorf("%s succeeded, expected an error", method)
	}
	return nil
}

// refusal returns an error object as text: the message after its code, or the object if it has other members or
// no message. An error that is not from the server has no code.
func refusal(object []byte) string {
	message, code := jsonrpc.Text(object, "message"), jsonrpc.Get(object, "code")
	for name := range jsonrpc.Members(object) {
		if n := string(name); n != "message" && n != "code" {
			return short(object)
		}
	}
	switch {
	case message == "":
		return short(object)
	case code == nil:
		return phrase.OneLine(message)
	}
	return short([]byte(phrase.OneLine("error " + string(code) + ", " + message)))
}

// takenOutcome returns the outcome of a request that has a response.
func takenOutcome(method string, response client.Response) outcome {
	o := outcome{method: method, known: true}
	if response.Err() != nil {
		o.value, o.isError = response.Envelope.Error.Of(response.Frame), true
		return o
	}
	o.value = response.Result()
	isError, _ := jsonrpc.Member(o.value, "isError")
	o.tool = string(isError) == "true"
	return o
}

func runWait(ctx context.Context, r *run, st *step, _ []string) error {
	if r.pending == nil {
		return errors.New("no request is in the background; end a request with & to begin one")
	}
	call := r.pending
	r.pending = nil
	return r.finish(ctx, st, r.method, call)
}

func runCancel(_ context.Context, r *run, _ *step, _ []string) error {
	if r.pending == nil {
		return errors.New("no request is in the background; end a request with & to begin one")
	}
	r.pending.Cancel()
	return nil
}

// runList requests all pages of a list. The result has the entries under the name of
// the list.
func runList(ctx context.Context, r *run, st *step, words []string) error {
	kind, _ := revision.ListNamed(words[0])
	r.mark()
	r.s.Fetch(kind)
	list, err := r.list(ctx, kind)
	r.last = outcome{method: kind.Name, known: true}
	if err != nil {
		r.last.value, r.last.isError = client.Params(map[string]string{"message": r.options.Explain(err)}), true
		var refused *jsonrpc.Error
		if st.negated || st.either && errors.As(err, &refused) {
			return nil
		}
		return fmt.Errorf("the list of %s is incomplete: %s", kind.Name, r.options.Explain(err))
	}
	var raw []json.RawMessage
	for _, i := range list.Items {
		raw = append(raw, i.Raw)
	}
	if raw == nil {
		raw = []json.RawMessage{}
	}
	r.last.value = client.Params(map[string][]json.RawMessage{kind.Name: raw})
	if st.negated {
		return fmt.Errorf("the list of %s succeeded, expected an error", kind.Name)
	}
	return nil
}

// list waits for a list, and requests it if it was not.
func (r *run) list(ctx context.Context, kind client.ListKind) (offer.List, error) {
	r.s.Want(kind)
	var list offer.List
	err := r.until(ctx, func() bool {
		list = r.s.State().Lists[kind.Name]
		return !list.Loading
	})
	if err != nil {
		return list, err
	}
	return list, list.Err
}

func runAnswer(_ context.Context, r *run, _ *step, words []string) error {
	how := words[1]
	if strings.HasPrefix(how, "{") || strings.HasPrefix(how, "@") {
		content, err := r.json(how)
		if err != nil {
			return err
		}
		how = string(content)
	}
	r.answers[words[0]] = append(r.answers[words[0]], how)
	return nil
}

func isRequest(row *store.Row) bool {
	return row.Dir == transport.Out && row.Kind == jsonrpc.Request
}

// runReceive waits for a message of the server since the last request started, or after the last received one.
func runReceive(ctx context.Context, r *run, st *step, words []string) error {
	if r.s == nil {
		return errNotConnected
	}
	var want []byte
	if len(words) == 2 {
		var err error
		if want, err = r.json(words[1]); err != nil {
			return err
		}
	}
	var near *mismatch
	found := func() bool {
		at, m := r.received(words[0], want)
		if m != nil {
			near = m
		}
		if at < 0 {
			return false
		}
		r.cursor = at + 1
		return true
	}
	if st.negated {
		if found() {
			return fmt.Errorf("%s was received as frame %d", words[0], r.cursor)
		}
		return nil
	}
	err := r.until(ctx, found)
	var late errTimeout
	switch {
	case err == nil:
		return nil
	case near != nil:
		return fmt.Errorf("%s was received with other params: %s", words[0], near)
	case errors.As(err, &late):
		return fmt.Errorf("%s was not received within %s", words[0], late.after)
	}
	return err
}

// received finds a message of the server, and returns -1 if there is none. near describes how the params of the
// last one of the method differ.
func (r *run) received(method string, want []byte) (at int32, near *mismatch) {
	st := r.s.Store()
	for i := r.cursor; ; i++ {
		row, ok := st.Row(i)
		if !ok {
			return -1, near
		}
		if row.Dir != transport.In || row.Kind != jsonrpc.Notification && row.Kind != jsonrpc.Request || st.Method(row.Method) != method {
			continue
		}
		body, err := st.Body(i)
		if err != nil {
			return -1, near
		}
		if want == nil {
			return i, nil
		}
		e := jsonrpc.Scan(body)
		if near = match(want, e.Params.Of(body)); near == nil {
			return i, nil
		}
	}
}

func runRestart(ctx context.Context, r *run, _ *step, _ []string) error {
	if r.s == nil {
		return r.connect(ctx, r.wanted)
	}
	r.pending = nil
	if err := r.s.Restart(ctx); err != nil {
		return errConnect{err}
	}
	r.mark()
	return nil
}

func runDisconnect(_ context.Context, r *run, _ *step, _ []string) error {
	r.disconnect()
	return nil
}

func runTimeout(_ context.Context, r *run, _ *step, words []string) error {
	d, err := time.ParseDuration(words[0])
	r.timeout = d
	return err
}
