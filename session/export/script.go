package export

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/session/runs/provenance"
	"mcptea/session/runs/script"
)

const (
	maxInline   = 60        // maximum length of a result in the line of its command, in bytes
	maxExpected = 256 << 10 // maximum length of an expected result, in bytes
)

// writeScript writes a script for mcptea run: the requests, each with the result that it had.
func (s *session) writeScript() error {
	w := &scriptWriter{session: s, pending: map[int32]*scriptStep{}}
	at := endpoint{Transport: s.Header.Transport}
	for e, err := range s.matched() {
		if err != nil {
			return err
		}
		at.update(&e.Event.Event)
		if e.Kind != record.KindFrame {
			continue
		}
		if w.steps = w.frame(&e); len(w.steps) > maxCalls {
			w.steps = w.steps[:maxCalls]
			s.report("the script has the first %d requests; select fewer frames with --filter or --frames", maxCalls)
			break
		}
	}
	if !slices.ContainsFunc(w.steps, func(st *scriptStep) bool { return st.line != "" }) {
		return errNoRequests
	}
	return w.write(&at)
}

// scriptWriter collects the steps of a script.
type scriptWriter struct {
	*session
	steps   []*scriptStep
	pending map[int32]*scriptStep // steps without a response, by the row of the request
	files   []txtar.File
	names   map[string]bool // names of files
	secret  bool            // a variable has replaced a secret
	// chain finds values in requests that come from earlier results. linked holds the steps whose
	// requests are in the chain. captured holds the values that these steps capture.
	chain    provenance.Chain
	linked   []*scriptStep
	captured provenance.Values
}

// scriptStep is a request or notification, with the commands before and after it.
type scriptStep struct {
	number   int32
	title    string
	answers  []string // commands before the step
	line     string   // command; empty for a step that was merged into another one
	after    []string
	response []byte // response to the request, or nil
	// list is the member with the entries of a list, or "" for other requests. more is set if a
	// page is missing.
	list    string
	entries [][]byte
	more    bool
	// inputs maps the keys of the input requests in the result to their methods.
	inputs map[string]string
	call   string // key that is the same for all rounds of a call
	linked int    // number of the request in the chain, from 1, or 0
	// captures holds the variables that later requests take from the result.
	captures []capture
}

// capture is a variable with the jq expression that selects its value.
type capture struct{ name, expr string }

// frame handles the next frame, and returns the steps that are complete.
func (w *scriptWriter) frame(e *matched) []*scriptStep {
	frame := bytes.Clone(e.Frame.Bytes)
	envelope, request := e.Frame.Envelope, e.Message.Request
	method, params := envelope.MethodName(frame), withoutMeta(envelope.Params.Of(frame))
	isOut := e.Frame.Dir == transport.Out
	switch {
	case revision.IsHandshake(method):
	case isOut && envelope.Kind == jsonrpc.Request:
		w.request(request, method, params)
	case isOut && envelope.Kind == jsonrpc.Notification:
		w.notification(e.Number, request, method, params)
	case isOut && envelope.Kind.IsResponse():
		w.answer(e.Message.Method, envelope, frame)
	case envelope.Kind == jsonrpc.Notification:
		w.received(method)
	case envelope.Kind.IsResponse():
		if st := w.pending[request]; st != nil {
			delete(w.pending, request)
			w.responded(st, envelope, frame)
		}
	}
	return w.steps
}

func (w *scriptWriter) request(row int32, method string, params []byte) {
	number := row + 1
	st := &scriptStep{number: number, title: oneLine(strings.TrimSpace(method + " " + subject(params)))}
	switch {
	case revision.Lasts(method):
		w.report("frame %d was left out: mcptea run has no command for a subscription", number)
		return
	case revision.FollowsTask(method):
		w.report("frame %d (%s) was left out: mcptea run follows tasks by itself", number, method)
		return
	}
	if list, ok := revision.ListOf(method); ok {
		if cursor, next := jsonrpc.Member(params, "cursor"); next {
			if last := w.lastList(list.Member); last != nil && string(cursor) != "null" {
				w.pending[row] = last // the next page
				return
			}
		}
		st.list = list.Member
		st.line = "list " + list.Name
		w.link(st, method, nil)
		w.add(st, row)
		return
	}
	st.call = callKey(method, params)
	if inputs, ok := jsonrpc.Member(params, "inputResponses"); ok {
		if first := w.firstRound(st.call); first != nil {
			for key, response := range jsonrpc.Members(inputs) {
				w.addAnswer(first, first.inputs[string(key)], response)
			}
			first.inputs = nil
			w.pending[row] = first
			return
		}
	}
	params, names := w.link(st, method, params)
	st.line = w.command(method, params)
	for _, name := range names {
		st.line = script.AsVariable(st.line, name)
	}
	w.add(st, row)
}

func (w *scriptWriter) add(st *scriptStep, row int32) {
	w.steps = append(w.steps, st)
	w.pending[row] = st
}

// subject returns the name of the tool or prompt, or the URI of the resource, in params.
func subject(params []byte) string {
	if name := jsonrpc.Text(params, "name"); name != "" {
		return name
	}
	return jsonrpc.Text(params, "uri")
}

// lastList returns the newest list that lacks a page.
func (w *scriptWriter) lastList(member string) *scriptStep {
	for _, st := range slices.Backward(w.steps) {
		if st.list == member {
			if !st.more {
				return nil
			}
			return st
		}
	}
	return nil
}

// firstRound returns the newest step of a call whose result requested input, or nil.
func (w *scriptWriter) firstRound(call string) *scriptStep {
	for _, st := range slices.Backward(w.steps) {
		if st.call == call && st.inputs != nil {
			return st
		}
	}
	return nil
}

// callKey returns a text that is equal for all rounds of a multi-round-trip request.
func callKey(method string, params []byte) string {
	var key strings.Builder
	key.WriteString(method)
	for name, value := range jsonrpc.Members(params) {
		if n := string(name); n != "inputResponses" && n != "requestState" {
			key.WriteString(" " + n)
			key.Write(value)
		}
	}
	return key.String()
}

// command returns the line of a request.
func (w *scriptWriter) command(method string, params []byte) string {
	line, hasSecret := script.RequestLine(method, params)
	w.secret = w.secret || hasSecret
	return line
}

func (w *scriptWriter) notification(number, request int32, method string, params []byte) {
	if method == "notifications/cancelled" {
		if st := w.pending[request]; st != nil {
			delete(w.pending, request)
			st.line += " &"
			st.after = append(st.after, "cancel", "! wait")
		}
		return
	}
	line := "notify " + script.Word(method)
	if len(params) > 0 {
		line += " " + w.json(params)
	}
	w.steps = append(w.steps, &scriptStep{number: number, title: oneLine(method), line: line})
}

// answer handles the response of the client to a request of the server. The request belongs to the
// newest request of the client.
func (w *scriptWriter) answer(method string, envelope jsonrpc.Envelope, frame []byte) {
	if len(w.steps) == 0 {
		return
	}
	w.addAnswer(w.steps[len(w.steps)-1], method, envelope.Result.Of(frame))
}

// addAnswer adds a command before a step. response is nil for an error.
func (w *scriptWriter) addAnswer(st *scriptStep, method string, response []byte) {
	kind := map[string]string{"elicitation/create": "elicitation", "sampling/createMessage": "sampling"}[method]
	switch {
	case kind == "":
	case response == nil:
		st.answers = append(st.answers, "answer "+kind+" error")
	default:
		st.answers = append(st.answers, "answer "+kind+" "+w.json(response))
	}
}

// received adds a notification of the server that arrived while a request was pending. It leaves
// out progress, log messages and some others, because they differ from run to run.
func (w *scriptWriter) received(method string) {
	switch method {
	case "notifications/progress", "notifications/message", "notifications/cancelled", "notifications/subscriptions/acknowledged", "notifications/tasks/status", "notifications/tasks":
		return
	}
	if len(w.steps) == 0 {
		return
	}
	st := w.steps[len(w.steps)-1]
	if st.list != "" || st.call == "" || st.response != nil {
		return
	}
	if line := "receive " + script.Word(method); !slices.Contains(st.after, line) {
		st.after = append(st.after, line)
	}
}

func (w *scriptWriter) responded(st *scriptStep, envelope jsonrpc.Envelope, frame []byte) {
	result := envelope.Result.Of(frame)
	st.response = frame
	if requests, ok := jsonrpc.Member(result, "inputRequests"); ok {
		st.inputs = map[string]string{}
		for key, request := range jsonrpc.Members(requests) {
			st.inputs[string(key)] = jsonrpc.Text(request, "method")
		}
	}
	if st.list == "" {
		w.linkResult(st, result)
		return
	}
	if envelope.Kind == jsonrpc.ErrorResponse {
		return
	}
	list, _ := jsonrpc.Member(result, st.list)
	from := len(st.entries)
	for entry := range jsonrpc.Elements(list) {
		st.entries = append(st.entries, entry)
	}
	w.linkEntries(st, from)
	next, _ := jsonrpc.Member(result, "nextCursor")
	st.more = len(next) > 0 && string(next) != "null"
}
