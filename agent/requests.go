package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session"
	"mcptea/session/content"
	"mcptea/session/explain"
	"mcptea/session/store"
)

type listInput struct {
	Which
	Kind     string `json:"kind,omitempty" jsonschema:"tools, resources, templates or prompts; tools if empty"`
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

// listPage is how many entries a result of list has.
const listPage = 100

func (a *agent) list(ctx context.Context, _ *mcp.CallToolRequest, in listInput) (*mcp.CallToolResult, listOutput, error) {
	var out listOutput
	c, err := a.find(in.Connection)
	if err != nil {
		return nil, out, err
	}
	if in.Kind == "" {
		in.Kind = client.Tools.Name
	}
	i := slices.IndexFunc(client.ListKinds, func(k client.ListKind) bool { return k.Name == in.Kind })
	if i < 0 {
		return nil, out, fmt.Errorf("unknown kind %q: use tools, resources, templates or prompts", in.Kind)
	}
	list, err := c.list(ctx, client.ListKinds[i])
	if err != nil {
		return nil, out, err
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
		return nil, out, fmt.Errorf("the server has no %s %q among %d", strings.TrimSuffix(in.Kind, "s"), in.Name, out.Total)
	}
	return nil, out, nil
}

// entryLine is an entry in one line: its name, its arguments with ! for required ones,
// and the beginning of its description.
func entryLine(item session.Item) string {
	name := item.Name
	if item.URI != "" {
		name = item.URI
	}
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

// list waits for a list, and requests it if it was not.
func (c *connection) list(ctx context.Context, kind client.ListKind) (session.List, error) {
	changed, stop := c.s.Store().Subscribe()
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if l := c.s.State().Lists[kind.Name]; c.recording == "" && !l.Loading && l.Loaded.IsZero() {
		c.s.Fetch(kind)
	}
	for {
		l := c.s.State().Lists[kind.Name]
		if !l.Loading {
			return l, l.Err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return l, fmt.Errorf("the list of %s was not received: %w", kind.Name, ctx.Err())
		}
	}
}

type callInput struct {
	Which
	Tool      string         `json:"tool" jsonschema:"name of the tool"`
	Arguments map[string]any `json:"arguments,omitempty" jsonschema:"arguments of the tool; not validated, so that wrong ones can be tried"`
	TimeoutMS int            `json:"timeout_ms,omitempty" jsonschema:"maximum wait, 60000 if 0"`
	MaxChars  int            `json:"max_chars,omitempty" jsonschema:"maximum size of the result, 4000 if 0"`
}

// responseOutput is what has come of a request.
type responseOutput struct {
	Outcome  string   `json:"outcome" jsonschema:"result, tool error, error response, or no response"`
	Code     int64    `json:"error_code,omitempty"`
	Text     string   `json:"server_text,omitempty" jsonschema:"the result or the error"`
	Problem  string   `json:"problem,omitempty" jsonschema:"why there is no response"`
	Try      string   `json:"try,omitempty"`
	TookMS   float64  `json:"took_ms"`
	Request  int32    `json:"request_frame,omitempty" jsonschema:"number for the tool frame"`
	Response int32    `json:"response_frame,omitempty"`
	Findings []string `json:"findings,omitempty" jsonschema:"violations of the specification in the two frames"`
	Progress int      `json:"progress_notifications,omitempty"`
	Stderr   []string `json:"server_stderr,omitempty" jsonschema:"lines written meanwhile"`
	Waiting  []string `json:"waiting,omitempty" jsonschema:"server requests that need the tool answer"`
	Cut      bool     `json:"cut,omitempty" jsonschema:"the text is longer; frame has the rest"`
	Tokens   int      `json:"estimated_tokens" jsonschema:"of the whole text"`
}

func (a *agent) call(ctx context.Context, _ *mcp.CallToolRequest, in callInput) (*mcp.CallToolResult, responseOutput, error) {
	if in.Arguments == nil {
		in.Arguments = map[string]any{}
	}
	params := client.Params(map[string]any{"name": in.Tool, "arguments": in.Arguments})
	return a.request(ctx, in.Which, "tools/call", params, in.TimeoutMS, in.MaxChars)
}

type readInput struct {
	Which
	URI      string `json:"uri"`
	MaxChars int    `json:"max_chars,omitempty" jsonschema:"maximum size of the result, 4000 if 0"`
}

func (a *agent) readResource(ctx context.Context, _ *mcp.CallToolRequest, in readInput) (*mcp.CallToolResult, responseOutput, error) {
	return a.request(ctx, in.Which, "resources/read", client.Params(map[string]string{"uri": in.URI}), 0, in.MaxChars)
}

type promptInput struct {
	Which
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments,omitempty"`
	MaxChars  int               `json:"max_chars,omitempty" jsonschema:"maximum size of the result, 4000 if 0"`
}

func (a *agent) getPrompt(ctx context.Context, _ *mcp.CallToolRequest, in promptInput) (*mcp.CallToolResult, responseOutput, error) {
	params := map[string]any{"name": in.Name}
	if len(in.Arguments) > 0 {
		params["arguments"] = in.Arguments
	}
	return a.request(ctx, in.Which, "prompts/get", client.Params(params), 0, in.MaxChars)
}

type frameInput struct {
	Which
	Frame    string `json:"frame" jsonschema:"sent byte for byte, such as {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}"`
	WaitMS   int    `json:"wait_ms,omitempty" jsonschema:"maximum wait for the response, 10000 if 0; 1000 for what has none"`
	MaxChars int    `json:"max_chars,omitempty" jsonschema:"maximum size of the result, 4000 if 0"`
}

func (a *agent) sendFrame(ctx context.Context, _ *mcp.CallToolRequest, in frameInput) (*mcp.CallToolResult, responseOutput, error) {
	c, err := a.find(in.Connection)
	if err != nil {
		return nil, responseOutput{}, err
	}
	r := client.ParseRequest([]byte(in.Frame))
	otherwise := 10 * time.Second
	if r.ID == "" {
		otherwise = time.Second
	}
	w := c.begin(ctx, wait(in.WaitMS, otherwise))
	defer w.end()
	call := c.s.StartFrame([]byte(in.Frame))
	if r.ID != "" {
		w.await(call)
		out := w.outcome(call, r.Method, size(in.MaxChars))
		return nil, out, nil
	}
	w.elapse()
	out := w.arrived(size(in.MaxChars))
	if _, err := call.Outcome(); !call.Running() && err != nil {
		out.Problem = explain.Failure(err, explain.FactsOf(c.s)).Sentence
	}
	return nil, out, nil
}

// request sends a request and describes its outcome.
func (a *agent) request(ctx context.Context, which Which, method string, params []byte, timeoutMS, maxChars int) (*mcp.CallToolResult, responseOutput, error) {
	c, err := a.find(which.Connection)
	if err != nil {
		return nil, responseOutput{}, err
	}
	if c.recording != "" {
		return nil, responseOutput{}, errors.New("a recording has no server: use connect")
	}
	w := c.begin(ctx, wait(timeoutMS, time.Minute))
	defer w.end()
	call := c.s.Start(method, params)
	w.await(call)
	return nil, w.outcome(call, method, size(maxChars)), nil
}

// waiting is one wait for a response.
type waiting struct {
	c       *connection
	ctx     context.Context
	cancel  func()
	changed <-chan struct{}
	stop    func()
	from    time.Time
	row     int32 // the first that is recorded meanwhile
	logs    int   // the number of log entries before
}

func (c *connection) begin(ctx context.Context, limit time.Duration) *waiting {
	w := &waiting{c: c, from: time.Now(), row: int32(c.s.Store().Snapshot().Rows)}
	w.ctx, w.cancel = context.WithTimeout(ctx, limit)
	w.changed, w.stop = c.s.Store().Subscribe()
	w.logs, _ = c.s.Store().Logs()
	return w
}

func (w *waiting) end() {
	w.stop()
	w.cancel()
}

// await waits until a call has an outcome, the server asks for something, or the time
// is over. A call that the server makes wait goes on.
func (w *waiting) await(call *session.Call) {
	for {
		select {
		case <-call.Done():
			return
		case <-w.changed:
			if len(w.c.waiting()) > 0 {
				return
			}
		case <-w.ctx.Done():
			call.Cancel()
			<-call.Done()
			return
		}
	}
}

// elapse waits until the time is over.
func (w *waiting) elapse() { <-w.ctx.Done() }

// outcome describes what has come of a call.
func (w *waiting) outcome(call *session.Call, method string, most int) responseOutput {
	out := responseOutput{TookMS: float64(time.Since(w.from).Microseconds()) / 1000}
	w.rows(&out)
	if call.Running() {
		out.Outcome = "no response"
		out.Problem = "the server waits for a response to its own request"
		out.Try = "respond with the tool answer; traffic then shows the response to this request"
		return out
	}
	response, err := call.Outcome()
	if err != nil {
		e := explain.Failure(err, explain.FactsOf(w.c.s))
		out.Outcome, out.Problem, out.Try = "no response", strings.TrimSpace(e.Sentence+" "+e.Cause), e.Try
		return out
	}
	var rpc *client.RPCError
	text := ""
	switch {
	case errors.As(response.Err(), &rpc):
		out.Outcome, out.Code, text = "error response", rpc.Code, string(response.Envelope.Error.Of(response.Frame))
	case content.ToolFailed(response.Result()):
		out.Outcome, text = "tool error", textOf(method, response.Result())
	default:
		out.Outcome, text = "result", textOf(method, response.Result())
	}
	out.Text, out.Cut, out.Tokens = clip(text, most), len(text) > most, tokensOf(text)
	return out
}

// arrived describes what the server has sent meanwhile.
func (w *waiting) arrived(most int) responseOutput {
	out := responseOutput{Outcome: "no response", TookMS: float64(time.Since(w.from).Microseconds()) / 1000}
	w.rows(&out)
	var texts []string
	st := w.c.s.Store()
	for i := w.row; ; i++ {
		row, ok := st.Row(i)
		if !ok {
			break
		}
		if row.Dir != transport.In || !row.IsFrame() {
			continue
		}
		if body, err := st.Head(i, most); err == nil {
			texts = append(texts, string(body))
			out.Outcome, out.Response = "messages of the server", i+1
		}
	}
	text := strings.Join(texts, "\n")
	out.Text, out.Cut, out.Tokens = clip(text, most), len(text) > most, tokensOf(text)
	return out
}

// rows adds the frames of the request, findings about them, and what else has come.
func (w *waiting) rows(out *responseOutput) {
	w.c.linted(context.WithoutCancel(w.ctx))
	st := w.c.s.Store()
	for i := w.row; ; i++ {
		row, ok := st.Row(i)
		if !ok {
			break
		}
		switch {
		case out.Request == 0 && row.Dir == transport.Out && row.IsFrame():
			out.Request = i + 1
			if row.Pair != store.None {
				out.Response = row.Pair + 1
			}
		case st.Method(row.Method) == "notifications/progress" && row.Dir == transport.In:
			out.Progress++
		}
	}
	for _, n := range []int32{out.Request, out.Response} {
		if n > 0 {
			out.Findings = append(out.Findings, w.c.findingsAt(n-1)...)
		}
	}
	total, _ := st.Logs()
	for i := w.logs; i < total && len(out.Stderr) < stderrLines; i++ {
		if l, ok := st.LogAt(i); ok && l.Source == store.LogStderr {
			out.Stderr = append(out.Stderr, clip(l.Text, 400))
		}
	}
	for _, q := range w.c.waiting() {
		out.Waiting = append(out.Waiting, fmt.Sprintf("%s id %s", q.Method, q.ID))
	}
}

// findingsAt are the findings about a frame, one line each.
func (c *connection) findingsAt(row int32) []string {
	var texts []string
	for _, f := range c.s.FindingsAt(row) {
		if f.Self {
			continue
		}
		texts = append(texts, clip(fmt.Sprintf("%s %s: %s %s", f.Rule.ID, f.Severity, f.Message, f.Hint), 400))
	}
	return texts
}

// textOf is a result as a model sees it: its texts, and other parts as JSON.
func textOf(method string, result []byte) string {
	var texts []string
	for _, p := range content.Parse(method, result) {
		switch p := p.(type) {
		case content.Text:
			texts = append(texts, p.Text)
		case content.JSON:
			texts = append(texts, string(compact(p.Raw)))
		case content.Heading:
			if !p.Plain {
				texts = append(texts, "["+p.Name+"]")
			}
		case content.Note:
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func compact(raw []byte) []byte {
	var v json.RawMessage
	if json.Unmarshal(raw, &v) != nil {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}
