package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/offer/content"
	"mcptea/record/store"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// until waits until something holds, and reports that it does. It does not wait longer
// than limit.
func (c *connection) until(ctx context.Context, limit time.Duration, holds func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return c.s.Until(ctx, holds) == nil
}

// waiting is one wait for a response.
type waiting struct {
	c    *connection
	ctx  context.Context
	end  func()
	from time.Time
	most time.Duration // maximum wait
	row  int32         // first matching row recorded after the call
	logs int           // the number of log entries before
}

func (c *connection) begin(ctx context.Context, limit time.Duration) *waiting {
	w := &waiting{c: c, from: time.Now(), most: limit, row: int32(c.s.Store().Snapshot().Rows)}
	w.ctx, w.end = context.WithTimeout(ctx, limit)
	w.logs, _ = c.s.Store().Logs()
	return w
}

// await waits until a call has an outcome, the server sends a request, or the time is over. A call continues
// while the server waits for a response to its own request.
func (w *waiting) await(call *session.Call) {
	if w.c.s.Until(w.ctx, func() bool { return !call.Running() || len(w.c.waiting()) > 0 }) == nil {
		return
	}
	if errors.Is(w.ctx.Err(), context.DeadlineExceeded) && time.Since(w.from) >= w.most {
		call.CancelFor(&client.TimeoutError{Method: call.Method, After: w.most})
	} else {
		call.Cancel()
	}
	<-call.Done()
}

// elapse waits until the time is over.
func (w *waiting) elapse() { <-w.ctx.Done() }

// outcome describes the outcome of a call.
func (w *waiting) outcome(call *session.Call, method string, most int) responseOutput {
	out := responseOutput{TookMS: float64(time.Since(w.from).Microseconds()) / 1000}
	w.rows(&out, call.Ref())
	if call.Running() {
		out.Outcome = "no response"
		out.Problem = "the server waits for a response to its own request"
		out.Try = "respond with the tool answer; traffic then shows the response to this request"
		return out
	}
	response, err := call.Outcome()
	if err != nil {
		e := failure.Explain(err, failure.FactsOf(w.c.s))
		out.Outcome, out.Problem, out.Try = "no response", strings.TrimSpace(strings.TrimSpace(e.Sentence+" "+e.Cause())+" "+e.CallText()), e.Try()
		return out
	}
	var rpc *client.RPCError
	text := ""
	switch {
	case errors.As(response.Err(), &rpc):
		out.Code, _ = rpc.Code.Number()
		out.Outcome, text = "error response", string(response.Envelope.Error.Of(response.Frame))
	case content.ToolFailed(response.Result()):
		out.Outcome, text = "tool error", textOf(method, response.Result())
	default:
		out.Outcome, text = "result", textOf(method, response.Result())
	}
	if out.Outcome != "result" {
		known := failure.OfResponse(w.c.s, response)
		out.Problem, out.Try = known.Cause, known.Remedy.Text
	}
	out.Text, out.Cut, out.Tokens = clip(text, most), len(text) > most, tokensOf(text)
	return out
}

// recorded returns the rows since the call. It leaves out rows that arrive during the iteration,
// because a server may send frames as fast as they are read.
func (w *waiting) recorded() iter.Seq2[int32, store.Row] {
	return func(yield func(int32, store.Row) bool) {
		st := w.c.s.Store()
		end := int32(st.Snapshot().Rows)
		for i := w.row; i < end; i++ {
			if row, ok := st.Row(i); !ok || !yield(i, row) {
				return
			}
		}
	}
}

// arrived describes what the server has sent since the start of the wait.
func (w *waiting) arrived(most int) responseOutput {
	out := responseOutput{Outcome: "no response", TookMS: float64(time.Since(w.from).Microseconds()) / 1000}
	w.rows(&out, transport.Ref{})
	var texts []string
	st := w.c.s.Store()
	for i, row := range w.recorded() {
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

// rows adds the frames of the request, findings about them, and other new frames. If the place of the request
// is unknown, the first sent frame counts as the request.
func (w *waiting) rows(out *responseOutput, request transport.Ref) {
	w.c.linted(context.WithoutCancel(w.ctx))
	st := w.c.s.Store()
	for i, row := range w.recorded() {
		switch {
		case out.Request == 0 && row.Dir == transport.Out && row.IsFrame() && (!request.Present() || i == request.Row()):
			out.Request = i + 1
			if row.Pair != store.None {
				out.Response = row.Pair + 1
			}
		case st.Method(row.Method) == "notifications/progress" && row.Dir == transport.In:
			out.Progress++
		}
	}
	w.findings(out)
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

// maxFindings bounds the findings in the outcome of a request.
const maxFindings = 10

// findings adds findings about the frames of the request, and about frames and text that the server
// has sent since. A response with another id is not a frame of the request.
func (w *waiting) findings(out *responseOutput) {
	for i, row := range w.recorded() {
		if i+1 != out.Request && i+1 != out.Response && (row.Dir != transport.In || row.Pair != store.None) {
			continue // of another request
		}
		for _, text := range w.c.findingsAt(i) {
			if slices.Contains(out.Findings, text) {
				continue
			}
			if out.Findings = append(out.Findings, text); len(out.Findings) == maxFindings {
				return
			}
		}
	}
}

// findingsAt returns the findings about a frame, one line each.
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

// textOf returns a result as a model sees it: its texts, and other parts as JSON.
func textOf(method string, result []byte) string {
	var texts []string
	for _, p := range content.Parse(method, result) {
		switch p := p.(type) {
		case content.Text:
			texts = append(texts, p.String())
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
