package traffic

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/sequence"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
)

// An exchange is the content of the row of an exchange, or of a frame of an unfolded one.
type exchange struct {
	index    int32
	isPart   bool // the row is a frame of an unfolded exchange: it has a subject and notes, and its outcome is its size
	open     bool
	equal    int       // number of equal exchanges that the row represents, or 0
	row, end store.Row // the request, and the response that ended it
	response int32     // row of the response, or None
	subject  sequence.Message
	answer   sequence.Message
	live     *store.Flow // flow of a pending request
	took     time.Duration
	outcome  outcome
	notes    []paint.Span
	restart  *session.Restarted // restart before the exchange, or nil
}

// An outcome describes how an exchange ended, or what it is waiting for.
type outcome struct {
	sign      paint.Span
	lead      string // text before the outcome, which a filter does not search
	text      string
	textStyle paint.Style
	isResult  bool // the text is from the response
}

func (o *outcome) set(st paint.Style, sign, text string, textStyle paint.Style) {
	*o = outcome{sign: paint.Span{Style: st, Text: sign}, text: text, textStyle: textStyle}
}

// endShown returns how a request without a response ended, or "".
func (p *Pane) endShown(r *store.Row) string {
	ended := endOf(r)
	if ended != "" && p.store.NeverSent(r) {
		return "not sent"
	}
	return ended
}

// endOf is like endShown, for the flags of a row.
func endOf(r *store.Row) string {
	switch {
	case r.Pair != store.None || !isExchange(r):
	case r.Flags&store.TimedOut != 0:
		return "timed out"
	case r.Flags&store.Cancelled != 0:
		return "cancelled"
	case r.Flags&store.Abandoned != 0:
		return "no response"
	}
	return ""
}

// exchangeOf returns the content of the row of an exchange by its root.
func (p *Pane) exchangeOf(pal *paint.Palette, index int32) exchange {
	e := exchange{index: index, response: store.None, open: p.exchanges.IsOpen(index)}
	e.row, _ = p.store.Row(index)
	e.subject, _ = p.messages.Message(index)
	last := e.row // newest request of the client in the exchange
	newest := e.row.Newest(index)
	next, _ := p.store.Row(newest)
	if newest != store.None && next.Kind == jsonrpc.Request && next.Dir == e.row.Dir && !isTaskMethod(p.store.Method(next.Method)) {
		last = next
	}
	if e.response = last.Pair; e.response > index {
		e.end, _ = p.store.Row(e.response)
		e.answer, _ = p.messages.Message(e.response)
		e.took = max(0, time.Duration(e.end.Time-last.Time)) // the time of one response: a call that was resent with input has waited for the user
	} else {
		e.response = store.None
	}
	if newest == store.None || !p.saysNewest(pal, &e, &last, newest, &next) {
		p.saysEnd(pal, &e, &last)
	}
	p.calm(pal, &e)
	e.notes = p.notes(pal, &e)
	return e
}

// isTaskMethod reports whether a request is about a task.
func isTaskMethod(method string) bool { return strings.HasPrefix(method, "tasks/") }

// saysNewest sets the outcome to the state in the newest row of an exchange after its response, and reports
// whether there is one: the state of a task, a request of the server, a subscription.
func (p *Pane) saysNewest(pal *paint.Palette, e *exchange, last *store.Row, newest int32, row *store.Row) bool {
	method := p.store.Method(row.Method)
	switch {
	case row.Kind == store.KindDelivery && e.end.Kind != jsonrpc.ErrorResponse:
		of, _ := p.messages.Message(newest)
		e.outcome.set(paint.If(of.Failed, pal.Error, pal.OK), pal.Dot, of.Noun+" "+of.Name+"  "+of.Text, pal.Muted)
		return true
	case row.Kind == jsonrpc.Request && row.Dir != e.row.Dir && row.Flags&store.Pending != 0:
		of, _ := p.messages.Message(newest)
		e.outcome.set(pal.Asked, pal.ArrowIn, of.Method+" "+of.Text, pal.Asked)
		if frames.WaitsForUser(row, method) {
			e.outcome.text, e.outcome.textStyle = waitsForYou(p.key("tab.inbox")), pal.Warn
		}
		p.waits(e)
		return true
	case row.Kind == jsonrpc.Request && row.Dir == e.row.Dir && isTaskMethod(method) && row.Pair != store.None:
		return p.saysTask(pal, e, row.Pair)
	case method == "notifications/tasks" || method == "notifications/tasks/status":
		return p.saysTask(pal, e, newest)
	case last.Flags&(store.Pending|store.Acknowledged) == store.Pending|store.Acknowledged && !strings.HasPrefix(method, "notifications/subscriptions/"):
		of, _ := p.messages.Message(newest)
		e.outcome.set(pal.OK, pal.Dot, of.Noun+" "+of.Text, pal.Muted)
		return true
	case endOf(last) != "" && last.Flags&store.Cancelled != 0:
		e.took = max(0, time.Duration(row.Time-e.row.Time))
	}
	return false
}

func waitsForYou(key string) string { return "waits for you  " + key + " respond" }

// saysTask sets the outcome to the state of a task in a row.
func (p *Pane) saysTask(pal *paint.Palette, e *exchange, index int32) bool {
	row, _ := p.store.Row(index)
	m, _ := p.messages.Message(index)
	word, text := taskText(&m)
	if e.took = max(0, time.Duration(row.Time-e.row.Time)); row.Kind == jsonrpc.ErrorResponse {
		return false
	}
	switch word {
	case "working", "input_required":
		e.outcome.set(pal.Warn, p.spinner(pal), text, pal.Text)
	case "failed":
		e.outcome.set(pal.Error, pal.FailMark, text, pal.Error)
	case "cancelled":
		e.outcome.set(pal.Warn, pal.Absent, text, pal.Warn)
	case "completed":
		e.outcome.set(pal.OK, pal.OKMark, text, pal.Text)
	default:
		return false
	}
	return true
}

// taskText returns the status of a task in a message, and the rest of the message without id and status.
func taskText(m *sequence.Message) (status, text string) {
	parts := strings.Split(m.Text, "  ")
	if m.Kind == jsonrpc.Notification && len(parts) > 1 {
		parts = parts[:len(parts)-1] // the id
	}
	if status = parts[0]; len(parts) > 1 && strings.HasPrefix(parts[1], status) {
		parts = parts[1:]
	}
	return status, strings.Join(parts, "  ")
}

// spinner returns the spinner. It does not turn while the clock does not advance.
func (p *Pane) spinner(pal *paint.Palette) string {
	return paint.If(p.still, pal.Absent, paint.Spinner(pal, p.spin))
}

// waits sets the flow and the duration of a pending request.
func (p *Pane) waits(e *exchange) {
	if f, ok := p.store.FlowOf(e.index); ok {
		e.live = &f
	}
	if e.took = max(0, p.now.Sub(time.Unix(0, e.row.Time))); p.still {
		e.took = 0 // the duration was not recorded
	}
}

// saysEnd sets the outcome to the response to the last request, or to how it ended.
func (p *Pane) saysEnd(pal *paint.Palette, e *exchange, last *store.Row) {
	o := &e.outcome
	switch ended := p.endShown(last); {
	case last.Flags&(store.Pending|store.Acknowledged) == store.Pending|store.Acknowledged:
		o.set(pal.OK, pal.Dot, "open", pal.OK)
	case last.Flags&store.Pending != 0:
		p.waits(e)
		o.set(pal.Warn, p.spinner(pal), p.progress(e.live), pal.Text)
		if frames.WaitsForUser(&e.row, e.subject.Method) {
			o.text, o.textStyle = waitsForYou(p.key("tab.inbox")), pal.Warn
		} else if p.still {
			o.text, o.textStyle = "pending", pal.Warn
		}
	case ended == "cancelled":
		o.set(pal.Warn, pal.Absent, ended, pal.Warn)
	case ended != "":
		if status := p.status(last); status != 0 {
			ended = "HTTP " + strconv.Itoa(status)
		}
		o.set(pal.Error, pal.FailMark, ended, pal.Error)
	case e.response == store.None:
	case e.answer.IsOpaque():
		o.set(pal.Warn, paint.If(e.answer.Failed, pal.FailMark, pal.WarnMark), e.answer.Text, pal.Warn)
	case e.end.Kind == jsonrpc.ErrorResponse:
		o.set(pal.Error, pal.FailMark, saidOf(&e.answer), pal.Error)
	case e.end.Flags&store.ToolError != 0:
		o.set(pal.Warn, pal.FailMark, "tool error "+e.answer.Shown(), pal.Warn)
	case e.end.Kind == jsonrpc.Invalid:
		o.set(pal.Error, pal.FailMark, e.end.Fault.String(), pal.Error)
	case e.end.AsksInput():
		o.set(pal.Asked, pal.ArrowIn, e.answer.Shown(), pal.Asked)
	default:
		o.set(pal.OK, pal.OKMark, e.answer.Shown(), pal.Text)
		o.isResult = true
	}
}

// saidOf returns the code of an error response, or another description, and its message.
func saidOf(m *sequence.Message) string {
	return cmp.Or(m.Code.String(), m.ErrorPhrase()) + " " + m.Text
}

// progress returns the progress of a pending request as text.
func (p *Pane) progress(f *store.Flow) string {
	if f == nil || f.Reports == 0 {
		return ""
	}
	text := strconv.FormatFloat(f.Progress, 'g', 6, 64)
	if f.HasTotal {
		text += "/" + strconv.FormatFloat(f.Total, 'g', 6, 64)
	}
	if f.Message != "" {
		text += "  " + f.Message
	}
	return text
}

// notes returns the faults of the frames of an exchange: the most severe finding, only about its request and
// response if its frames have rows of their own, and the marks of the store.
func (p *Pane) notes(pal *paint.Palette, e *exchange) []paint.Span {
	worst, found := p.worstOf(e)
	if worst != nil && found == 1 && worst.Rule.ID == "J001" && e.end.Kind == jsonrpc.Invalid {
		worst = nil // the outcome already reports it
	}
	for _, row := range []int32{e.index, e.response} {
		if held, ok := p.held[row]; ok {
			return []paint.Span{{Style: pal.Warn, Text: pal.Pause + " " + phrase.Took(held)}}
		}
	}
	var spans paint.Spans
	add := func(list ...paint.Span) {
		if len(spans) > 0 && len(list) > 0 {
			spans = append(spans, paint.Span{Text: " "})
		}
		spans = append(spans, list...)
	}
	marks := p.marksOf(pal, e)
	switch by := p.app.SentBy(p.agent, e.index, &e.row); {
	case worst != nil:
		st := app.SeverityStyle(pal, worst.Severity)
		if p.mended(e.row.Conn) {
			st = pal.Muted
		}
		add(paint.Span{Style: st, Text: flaws(pal, worst, found)})
	case by != "" && len(marks) == 0:
		add(paint.Span{Style: pal.Asked, Text: by})
	}
	add(marks...)
	return spans
}

// worstOf returns the most severe finding in the row of an exchange, and the number of findings.
func (p *Pane) worstOf(e *exchange) (worst *lint.Finding, n int) {
	if !e.open {
		return p.app.Source.WorstIn(e.index, e.response)
	}
	all := slices.Concat(p.app.Source.FindingsAt(e.index), p.app.Source.FindingsAt(e.response))
	return lint.Worst(all), len(all)
}

// marksOf returns the changes of the frames of an exchange, or the fault in its order.
func (p *Pane) marksOf(pal *paint.Palette, e *exchange) []paint.Span {
	for _, row := range []int32{e.index, e.response} {
		if r, ok := p.store.Row(row); ok && r.Changed != 0 {
			return p.changed(pal, row, &r, true)
		}
	}
	if p.Again != nil {
		if again := p.Again(pal, e.index); again != nil {
			return again
		}
	}
	row := e.row
	if row.Pair != store.None {
		row.Flags &^= store.Abandoned // the response itself is marked as late
	}
	if text, st := mark(pal, &row); text != "" && endOf(&e.row) == "" {
		return []paint.Span{{Style: st, Text: text}}
	}
	if text, st := mark(pal, &e.end); text != "" && text != malformed && e.response != store.None {
		return []paint.Span{{Style: st, Text: text}}
	}
	if e.row.HasOtherResponse() {
		return []paint.Span{{Style: pal.Warn, Text: "another response"}}
	}
	return nil
}
