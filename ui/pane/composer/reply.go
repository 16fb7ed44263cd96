package composer

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/compose"
	"mcptea/record/store"
	"mcptea/session/explain/card"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
	"mcptea/ui/result"
)

// A reply is the response to the last frame sent. The zero reply belongs to no frame.
type reply struct {
	p         *Pane // nil until a frame was sent
	call      *session.Call
	reaction  *compose.Reaction
	malformed int           // see Pane
	repeat    result.Repeat // replaces a call

	key   replyKey
	frame client.Response
	err   error        // there is no response
	view  *result.View // response, or nil
	what  string       // the error in the words of the server
	also  string       // meaning, or another possible problem
	try   string       // advice, or ""
	card  card.Card    // card of the error, or the zero card
}

// replyKey changes when another response is shown.
type replyKey struct {
	call    *session.Call
	running bool
	likely  int32 // see compose.Reaction
}

// clear forgets the reply, except for frames that are still being sent.
func (r *reply) clear() {
	kept := reply{repeat: result.Repeat{Often: r.repeat.Often}}
	if r.repeat.Runs() {
		kept.repeat = r.repeat
	}
	*r = kept
}

// Repetition returns the repetition that sends a frame several times, or nil, and when it started.
func (p *Pane) Repetition() (r *session.Repetition, began time.Time) {
	return p.reply.repeat.Repetition, p.reply.repeat.Began
}

func (r *reply) any() bool { return r.call != nil || r.repeat.Repetition != nil }

// working reports whether a response is pending, or frames are being sent.
func (r *reply) working() bool {
	return r.repeat.Runs() || r.call != nil && (r.call.Running() || !r.reaction.Over)
}

// show starts showing the outcome of a call.
func (r *reply) show(p *Pane, c *session.Call, reaction *compose.Reaction, malformed int) {
	*r = reply{p: p, call: c, reaction: reaction, malformed: malformed, repeat: result.Repeat{Often: r.repeat.Often}}
	p.commands[ofReply] = p.replyCommands(nil)
}

// refresh reads new frames, and reports whether more may arrive.
func (r *reply) refresh(t app.Tick) (busy bool) {
	if r.call == nil {
		return r.repeat.Runs()
	}
	r.p.react(r.reaction, r.call)
	r.reaction.Over = r.reaction.Over || hasResponse(r.call)
	key := replyKey{r.call, r.call.Running(), r.reaction.Likely}
	if r.key != key && (!key.running || key.likely != store.None) {
		r.choose(key)
	}
	if r.view != nil {
		busy = r.view.Refresh(t)
	}
	return busy || r.working()
}

// choose shows the response with the id of the frame, or the most likely response.
func (r *reply) choose(key replyKey) {
	r.key = key
	if !key.running {
		r.frame, r.err = r.call.Outcome()
	}
	shown := r.frame
	if shown.Frame == nil && key.likely != store.None {
		body, err := r.p.session.Store().Body(key.likely)
		if r.err = err; err == nil {
			shown = client.Response{Frame: body, Envelope: jsonrpc.Scan(body)}
		}
	}
	switch {
	case r.err != nil:
		r.what = phrase.Capital(r.err.Error())
	case shown.Frame != nil:
		r.view = result.OfFrame(r.p.app, r.call.Method, shown, r.row)
		r.view.Rests = r.p.enterHint
		r.p.commands[ofReply] = r.p.replyCommands(r.view)
		if rpc, ok := errors.AsType[*client.RPCError](shown.Err()); ok {
			r.explain(shown.Frame, rpc)
		} else if string(jsonrpc.Get(shown.Envelope.Result.Of(shown.Frame), "isError")) == "true" {
			r.nearest()
		}
	}
}

// row returns the row of the response, or of the frame itself until then.
func (r *reply) row() int32 {
	switch {
	case r.call == nil:
		return store.None
	case !r.call.ID.Present() || r.call.Running() && r.reaction.Likely != store.None:
		if r.reaction.Likely == store.None {
			return r.reaction.Row
		}
		return r.reaction.Likely
	}
	s := r.p.session.Store()
	request := rowOf(r.call, r.reaction)
	if _, row := s.Related(request); row != store.None {
		return row
	}
	return request
}

// explain sets the meaning of an error response and the remedy. The text of the server comes first, because it
// is about this request.
func (r *reply) explain(frame []byte, rpc *client.RPCError) {
	r.what = rpc.Message
	st := r.p.tick.State
	if c, ok := card.OfError(frame, card.Where{Revision: st.Handshake.Revision, Method: r.call.Method, Wire: true}); ok {
		meaning := c.Likely()
		r.card, r.also, r.try = c, meaning.Name+": "+meaning.Means, meaning.Check
	}
	if rpc.Code.Is(jsonrpc.CodeInvalidParams) || rpc.Code.Is(jsonrpc.CodeMethodNotFound) {
		r.nearest()
	}
}

// nearest adds that the server lists no tool or prompt with the name, and which one may be meant.
func (r *reply) nearest() {
	st := r.p.tick.State
	noun := map[string]string{"tools/call": "tool", "prompts/get": "prompt"}[r.call.Method]
	list, name := st.Lists[noun+"s"], r.call.Name
	if name == "" || list.Loaded.IsZero() {
		return
	}
	if _, ok := list.Find(name); ok {
		return
	}
	var names []string
	for _, item := range list.Items {
		names = append(names, item.Name)
	}
	r.also, r.try = "also: no "+noun+" has the name \""+name+"\".", r.p.app.Key("tab."+noun+"s")+" lists the "+noun+"s."
	if near := phrase.Nearest(name, names); len(near) > 0 {
		r.try = "Did you mean " + near[0] + "? " + r.try
	}
}

// height returns the number of rows that the reply occupies, at most h.
func (r *reply) height(h int) int {
	switch want := h * 2 / 5; {
	case !r.any():
		return 0
	case r.view != nil:
		return max(min(want, h-8), 4)
	default:
		return max(min(7+len(r.rows()), want, h-8), 4)
	}
}

func (r *reply) rows() []int32 {
	if r.reaction == nil {
		return nil
	}
	return r.reaction.Rows
}

// paintReply paints the outcome of the frame.
func (p *Pane) paintReply(c *app.Canvas, focused bool) {
	r := &p.reply
	focused = focused && p.focus == ofReply
	c.Press(func() { p.enter(ofReply) })
	if r.repeat.Repetition != nil {
		d := doc.On(c.Box(title(c.Pal, "Repeat", focused), nil, focused))
		d.Margin = 0
		r.repeat.Rows(d)
		d.Paint()
		return
	}
	d := doc.On(c.Box(r.title(c.Pal, focused), r.note(c.Pal), focused))
	d.Margin = 0
	pal := c.Pal
	waiting := r.key != replyKey{r.call, r.call.Running(), r.reaction.Likely} || r.call.Running() && r.view == nil
	if waiting {
		d.FactRow("", func(row *paint.Row) {
			row.Right(hint(pal, c.Names.Name("cancel.call"), "cancel ")...)
			row.Put(pal.Warn, paint.Spinner(pal, p.tick.Spin)+" ")
			what := "waiting for "
			if r.call.Waits() {
				what = "not sent: waiting for the restart, for "
			}
			row.Put(pal.Muted, what+phrase.Took(max(0, p.tick.Now.Sub(r.call.Started))))
		})
	}
	if r.frame.Frame == nil && r.err == nil {
		r.paintReaction(d, max((c.H-2)/2, 1))
	}
	d.Text(pal.Text, r.what, 2).Give(1, 0)
	d.Text(pal.Muted, r.also, 2).Give(2, 0)
	if r.view == nil && r.err == nil && !waiting {
		d.Text(pal.Muted, r.whyNone(), 1)
	}
	if r.try != "" && !r.p.outcomeOf(r.call, r.reaction, r.malformed).expected { // the frame was broken on purpose
		d.Row(paint.Span{Style: pal.OK, Text: pal.ArrowOut + " "}, paint.Span{Style: pal.Text, Text: r.try})
	}
	if r.view != nil {
		d.Rest(3, func(c *app.Canvas) { r.view.Paint(c, focused) })
	}
	d.Paint()
}

func (r *reply) title(pal *paint.Palette, focused bool) []paint.Span {
	spans := title(pal, "response", focused)
	switch {
	case r.call.ID.Present():
		spans = append(spans, paint.Span{Style: pal.Muted, Text: " to id " + display.Cut(display.Sanitize(r.call.ID.String()), 24)})
	case r.reaction.Row != store.None:
		spans = append(spans, paint.Span{Style: pal.Muted, Text: " to #" + strconv.Itoa(int(r.reaction.Row)+1)})
	}
	return spans
}

func (r *reply) note(pal *paint.Palette) []paint.Span {
	o := r.p.outcomeOf(r.call, r.reaction, r.malformed)
	switch {
	case o.text == "" && r.call.Running():
		return nil
	case o.text == "":
		return []paint.Span{{Style: pal.Warn, Text: paint.Spinner(pal, r.p.tick.Spin) + " waiting for frames"}}
	}
	span := o.span(pal)
	if _, err := strconv.Atoi(o.text); err == nil {
		span.Text = strings.Replace(span.Text, o.text, "error "+o.text, 1)
	}
	if o.expected {
		span.Text += ", as expected"
	}
	note := paint.Spans{span}
	note.If(r.frame.Frame != nil, pal.Muted, "  "+phrase.Took(r.frame.Took)+" "+pal.Separator+" "+phrase.Size(int64(len(r.frame.Frame))))
	return note
}

// whyNone explains what to expect after a frame without a response that has its id.
func (r *reply) whyNone() string {
	switch {
	case r.reaction.Exited:
		return "Sent. The server exited, and no response came."
	case r.reaction.Plain:
		return "Sent. A notification has no response."
	case !r.reaction.Over:
		return "Sent. Waiting for frames."
	case len(r.reaction.Rows) == 0:
		return "Sent. No frame came within 2 s."
	}
	return "Sent. No response came within 2 s."
}

// paintReaction lists the frames after the frame, in at most h rows.
func (r *reply) paintReaction(d *doc.Doc, h int) {
	pal, s := d.Pal, r.p.session.Store()
	total := len(r.reaction.Rows) + r.reaction.More
	for n, i := range r.reaction.Rows {
		if n == h-1 && total > h {
			d.Row(paint.Span{Style: pal.Muted, Text: strconv.Itoa(total-n) + " more in Traffic"})
			return
		}
		f, ok := s.Row(i)
		if !ok {
			continue
		}
		likely, st := i == r.reaction.Likely, pal.Muted
		spans := paint.Spans{{Style: pal.OK, Text: pal.ArrowIn + " "}, {Text: whatOf(s, &f)}, {}}
		if likely {
			st = pal.Text
		}
		spans[1].Style, spans[2].Style = st, st
		if f.Kind == jsonrpc.ErrorResponse {
			spans[1].Style = pal.Error
		}
		spans[2].Text = aboutID(&f) + ", " + phrase.Took(max(0, time.Duration(f.Time-r.reaction.Sent))) + " later"
		spans.If(likely, pal.TextBold, ": most likely the response")
		d.Row(append([]paint.Span{{Style: st, Text: "#" + strconv.Itoa(int(i)+1) + " "}}, spans...)...)
	}
}

// whatOf describes a frame in one or two words.
func whatOf(s *store.Store, f *store.Row) string {
	switch f.Kind {
	case jsonrpc.ErrorResponse:
		return f.ErrorCode().Phrase()
	case jsonrpc.Response:
		return "result"
	case jsonrpc.Request, jsonrpc.Notification:
		return s.Method(f.Method)
	case jsonrpc.Batch:
		return "batch"
	}
	return "not a message"
}

// aboutID describes the id of a response.
func aboutID(f *store.Row) string {
	switch {
	case f.Flags&store.NoID != 0:
		return ", no id"
	case f.Flags&store.UnknownID != 0:
		return ", unmatched id"
	case f.Pair != store.None:
		return ", response to #" + strconv.Itoa(int(f.Pair)+1)
	}
	return ""
}
