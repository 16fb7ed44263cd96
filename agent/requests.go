package agent

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/offer"
	"mcptea/session/explain/failure"
)

type listInput struct {
	Which
	Kind     string `json:"kind,omitempty" jsonschema:"tools, resources, templates, prompts, skills or events; tools if empty"`
	Name     string `json:"name,omitempty" jsonschema:"name or URI of one entry, to get it in full"`
	Offset   int    `json:"offset,omitempty" jsonschema:"number of the first entry, from 0"`
	MaxChars int    `json:"max_chars,omitempty" jsonschema:"maximum size of the entry in full, 4000 if 0"`
}

type listOutput struct {
	Total   int      `json:"total"`
	Entries []string `json:"server_entries,omitempty" jsonschema:"name, arguments and description of each entry"`
	Entry   string   `json:"server_entry,omitempty" jsonschema:"the entry in full, JSON"`
	Next    int      `json:"next_offset,omitempty"`
	Tokens  int      `json:"estimated_tokens" jsonschema:"of the whole list as a model sees it"`
}

// listPage bounds the entries in a result of list.
const listPage = 100

func (t turn) list(in listInput) (listOutput, error) {
	var out listOutput
	if in.Kind == "" {
		in.Kind = client.Tools.Name
	}
	kind, ok := revision.ListNamed(in.Kind)
	if !ok {
		return out, fmt.Errorf("unknown kind %q: use tools, resources, templates, prompts, skills or events", in.Kind)
	}
	list, err := t.connection.list(t, kind)
	if err != nil {
		return out, err
	}
	out.Total = len(list.Items)
	for n, item := range list.Items {
		out.Tokens += tokensOf(string(item.Raw))
		switch {
		case in.Name != "" && (item.Name == in.Name || item.URI == in.Name):
			out.Entry = clip(string(item.Raw), size(in.MaxChars))
		case in.Name == "" && n >= in.Offset && len(out.Entries) < listPage:
			out.Entries = append(out.Entries, entryLine(item))
		case in.Name == "" && n >= in.Offset && out.Next == 0:
			out.Next = n
		}
	}
	if in.Name != "" && out.Entry == "" {
		return out, fmt.Errorf("the server has no %s %q among %d", strings.TrimSuffix(in.Kind, "s"), in.Name, out.Total)
	}
	return out, nil
}

// entryLine returns an entry in one line: its name, its arguments with ! for required ones, and
// the beginning of its description.
func entryLine(item offer.Item) string {
	name := cmp.Or(item.URI, item.Label())
	var arguments []string
	required := map[string]bool{}
	for v := range jsonrpc.Elements(item.Member("inputSchema", "required")) {
		if text, ok := jsonrpc.Unquote(v); ok {
			required[text] = true
		}
	}
	for property := range jsonrpc.Members(item.Member("inputSchema", "properties")) {
		text := string(property)
		if required[text] {
			text += "!"
		}
		arguments = append(arguments, text)
	}
	if len(arguments) > 0 {
		name += "(" + strings.Join(arguments, ", ") + ")"
	}
	return clip(name, 300) + ": " + clip(strings.Join(strings.Fields(item.Description), " "), 120)
}

// listTimeout bounds a list request to the server.
const listTimeout = 30 * time.Second

// list waits for a list, and requests it if it was not.
func (c *connection) list(ctx context.Context, kind client.ListKind) (list offer.List, err error) {
	if c.recording != "" {
		list = c.s.State().Lists[kind.Name]
		if err = list.Err; list.Loading {
			err = fmt.Errorf("the recording has only a part of the list of %s", kind.Name)
		}
		return list, err
	}
	ctx, stop := context.WithTimeoutCause(ctx, listTimeout, fmt.Errorf("the list of %s was not received within %s", kind.Name, listTimeout))
	defer stop()
	return c.s.List(ctx, kind)
}

type callInput struct {
	Which
	Tool      string `json:"tool" jsonschema:"name of the tool"`
	Arguments object `json:"arguments,omitempty" jsonschema:"arguments of the tool; not validated, so that wrong ones can be tried"`
	TimeoutMS int    `json:"timeout_ms,omitempty" jsonschema:"maximum wait, 60000 if 0"`
	MaxChars  int    `json:"max_chars,omitempty" jsonschema:"maximum size of the result, 4000 if 0"`
}

// responseOutput is the outcome of a request.
type responseOutput struct {
	Outcome  string   `json:"outcome" jsonschema:"result, tool error, error response, or no response"`
	Code     int64    `json:"error_code,omitempty"`
	Text     string   `json:"server_text,omitempty" jsonschema:"the result or the error"`
	Problem  string   `json:"problem,omitempty" jsonschema:"why there is no response, or the cause of a failure if more is known than its text says"`
	Try      string   `json:"try,omitempty"`
	TookMS   float64  `json:"took_ms"`
	Request  int32    `json:"request_frame,omitempty" jsonschema:"number for the tool frame"`
	Response int32    `json:"response_frame,omitempty"`
	Findings []string `json:"findings,omitempty" jsonschema:"violations of the specification since then"`
	Progress int      `json:"progress_notifications,omitempty"`
	Stderr   []string `json:"server_stderr,omitempty" jsonschema:"lines written meanwhile"`
	Waiting  []string `json:"waiting,omitempty" jsonschema:"server requests that need the tool answer"`
	Cut      bool     `json:"cut,omitempty" jsonschema:"the text is longer; frame has the rest"`
	Tokens   int      `json:"estimated_tokens" jsonschema:"of the whole text"`
}

func (t turn) call(in callInput) (responseOutput, error) {
	if !t.isReadOnly(in.Tool) {
		if err := t.confirm(in.Tool, in.Arguments.text()); err != nil {
			return responseOutput{}, err
		}
	}
	return t.request("tools/call", namedParams(in.Tool, object(in.Arguments.text())), in.TimeoutMS, in.MaxChars)
}

type readInput struct {
	Which
	URI      string `json:"uri"`
	MaxChars int    `json:"max_chars,omitempty" jsonschema:"maximum size of the result, 4000 if 0"`
}

func (t turn) readResource(in readInput) (responseOutput, error) {
	return t.request("resources/read", client.Params(map[string]string{"uri": in.URI}), 0, in.MaxChars)
}

type promptInput struct {
	Which
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments,omitempty"`
	MaxChars  int               `json:"max_chars,omitempty" jsonschema:"maximum size of the result, 4000 if 0"`
}

func (t turn) getPrompt(in promptInput) (responseOutput, error) {
	var arguments object
	if len(in.Arguments) > 0 {
		arguments = client.Params(in.Arguments)
	}
	return t.request("prompts/get", namedParams(in.Name, arguments), 0, in.MaxChars)
}

type frameInput struct {
	Which
	Frame    string `json:"frame" jsonschema:"sent byte for byte, such as {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}"`
	WaitMS   int    `json:"wait_ms,omitempty" jsonschema:"maximum wait for the response, 10000 if 0; 1000 for what has none"`
	MaxChars int    `json:"max_chars,omitempty" jsonschema:"maximum size of the result, 4000 if 0"`
}

func (t turn) sendFrame(in frameInput) (responseOutput, error) {
	if err := t.confirm("send_frame", in.Frame); err != nil {
		return responseOutput{}, err
	}
	r := client.ParseRequest([]byte(in.Frame))
	otherwise := 10 * time.Second
	if !r.ID.Present() {
		otherwise = time.Second
	}
	w := t.begin(t, wait(in.WaitMS, otherwise))
	defer w.end()
	call := t.s.StartFrame([]byte(in.Frame))
	t.sent(call)
	if r.ID.Present() {
		w.await(call)
		out := w.outcome(call, r.Method, size(in.MaxChars))
		return out, nil
	}
	w.elapse()
	out := w.arrived(size(in.MaxChars))
	if _, err := call.Outcome(); !call.Running() && err != nil {
		out.Problem = failure.Explain(err, failure.FactsOf(t.s)).Sentence
	}
	return out, nil
}

// request sends a request and describes its outcome.
func (t turn) request(method string, params []byte, timeoutMS, maxChars int) (responseOutput, error) {
	w := t.begin(t, wait(timeoutMS, time.Minute))
	defer w.end()
	call := t.s.Start(method, params)
	t.sent(call)
	w.await(call)
	return w.outcome(call, method, size(maxChars)), nil
}
