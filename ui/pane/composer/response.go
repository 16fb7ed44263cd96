package composer

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/editdistance"
	"mcptea/session"
	"mcptea/session/explain/card"
	"mcptea/session/store"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// response is the outcome of the frame that was sent last.
type response struct {
	call  *session.Call // of which it is
	frame client.Response
	err   error    // there is no response
	lines []string // of the response, indented
	what  string   // the error in a sentence
	try   string   // what to do
	apply string   // the name that was meant
	isErr bool
	top   int // the first line in sight
}

// maxShown is how many bytes of a response are indented.
const maxShown = 32 << 10

// outcome returns the response once it is there.
func (p *Pane) outcome() *response {
	if p.call == nil || p.call.Running() {
		return nil
	}
	if p.response.call != p.call {
		p.response = p.newResponse(p.call)
	}
	return &p.response
}

func (p *Pane) newResponse(call *session.Call) response {
	r := response{call: call}
	r.frame, r.err = call.Outcome()
	if r.err != nil {
		r.isErr, r.what = true, sentence(r.err.Error())
		return r
	}
	text := r.frame.Frame
	var b bytes.Buffer
	if len(text) <= maxShown && json.Indent(&b, text, "", "  ") == nil {
		r.lines = foldMeta(strings.Split(b.String(), "\n"))
	} else {
		r.lines = []string{string(text[:min(len(text), maxShown)])}
	}
	var rpc *client.RPCError
	if errors.As(r.frame.Err(), &rpc) {
		p.explain(&r, call, rpc)
	} else {
		r.isErr = call.ToolError()
	}
	return r
}

// foldMeta folds the _meta of the result, which is seldom what a reader looks for.
func foldMeta(lines []string) []string {
	const indent = "    "
	for i, line := range lines {
		if line != indent+`"_meta": {` {
			continue
		}
		for j := i + 1; j < len(lines); j++ {
			if strings.HasPrefix(lines[j], indent+"}") {
				folded := indent + `"_meta": {…}` + strings.TrimPrefix(lines[j], indent+"}")
				return append(append(lines[:i:i], folded), lines[j+1:]...)
			}
		}
	}
	return lines
}

// explain says what an error response means, and what to do.
func (p *Pane) explain(r *response, call *session.Call, rpc *client.RPCError) {
	r.isErr = true
	c, ok := card.OfError(r.frame.Frame, card.Where{Revision: p.handshake.Revision, Method: call.Method, Wire: true})
	if ok {
		meaning := c.Likely()
		r.what = meaning.Name + ": " + meaning.Means
		r.try = meaning.Check
	}
	if rpc.Code != jsonrpc.CodeInvalidParams && rpc.Code != jsonrpc.CodeMethodNotFound {
		return
	}
	noun, name, names := p.named(call)
	if name == "" {
		return
	}
	best, distance := "", max(len(name)/2, 2)
	for _, known := range names {
		if known == name {
			return
		}
		if d := editdistance.Bytes(name, known); d <= distance {
			best, distance = known, d-1
		}
	}
	r.what = "Invalid params: no " + noun + " has the name \"" + name + "\"."
	if best != "" {
		r.try, r.apply = "Did you mean "+best+"?", best
	}
}

// named is what a call is about: a tool, a prompt or a resource, and the names that
// the server has listed.
func (p *Pane) named(call *session.Call) (noun, name string, names []string) {
	kind := ""
	switch call.Method {
	case "tools/call":
		kind, noun = "tools", "tool"
	case "prompts/get":
		kind, noun = "prompts", "prompt"
	default:
		return "", "", nil
	}
	if list := p.state.Lists[kind]; list.Loaded.IsZero() {
		return "", "", nil
	}
	for _, item := range p.items(kind) {
		names = append(names, item.Name)
	}
	return noun, call.Name, names
}

func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// responseRow is the row of the response to a call, or of its request.
func responseRow(s *store.Store, call *session.Call) int32 {
	request := s.RequestRow(transport.Out, string(call.ID))
	if _, row := s.Related(request); row != store.None {
		return row
	}
	return request
}

// responseBox paints the response.
func (p *Pane) responseBox(pal *paint.Palette, js paint.JSONStyles, w, h int) []string {
	inner := w - 4
	if p.repeat.running != nil {
		return paint.Box(pal, w, h, false, title(pal, "Repeat", false), nil, padded(p.repeatRows(pal, inner)))
	}
	r := p.outcome()
	if r == nil {
		row := pal.Row()
		row.Start(inner, paint.Style{})
		row.Put(pal.Warn, paint.Spinner(pal, p.spin)+" ")
		row.Put(pal.Muted, "waiting for "+paint.HumanDuration(max(0, p.now.Sub(p.call.Started))))
		row.Gap(3)
		row.Spans(hint(pal, command.KeyIn(command.Composer, command.CancelCall, true), "cancel")...)
		return paint.Box(pal, w, h, false, p.responseTitle(pal), nil, padded([]string{row.String()}))
	}
	foot := p.explainRows(pal, inner, r)
	var body []string
	room := max(h-2-len(foot), 0)
	r.top = min(r.top, max(len(r.lines)-room, 0))
	for _, line := range r.lines[r.top:min(len(r.lines), r.top+room)] {
		row := pal.Row()
		row.Start(inner, paint.Style{})
		js.Put(row, []byte(line))
		body = append(body, row.String())
	}
	return paint.Box(pal, w, h, false, p.responseTitle(pal), p.responseNote(pal, r), padded(append(body, foot...)))
}

func (p *Pane) responseTitle(pal *paint.Palette) []paint.Span {
	spans := []paint.Span{{Style: pal.TextBold, Text: "response"}}
	if p.call.ID != "" {
		spans = append(spans, paint.Span{Style: pal.Muted, Text: " to id " + paint.Cut(paint.Sanitize(string(p.call.ID)), 24)})
	}
	return spans
}

func (p *Pane) responseNote(pal *paint.Palette, r *response) []paint.Span {
	size := " " + pal.Separator + " " + paint.HumanSize(int64(len(r.frame.Frame)))
	switch {
	case r.err != nil:
		return []paint.Span{{Style: pal.Error, Text: pal.FailMark + " no response"}}
	case r.frame.Frame == nil:
		return []paint.Span{{Style: pal.OK, Text: "sent"}}
	case r.isErr && r.frame.Err() != nil:
		return []paint.Span{
			{Style: pal.Error, Text: pal.FailMark + " error " + codeOf(r.frame.Frame)},
			{Style: pal.Muted, Text: "  " + paint.HumanDuration(r.frame.Took) + size},
		}
	case r.isErr:
		return []paint.Span{{Style: pal.Error, Text: pal.FailMark + " tool error"}, {Style: pal.Muted, Text: "  " + paint.HumanDuration(r.frame.Took) + size}}
	}
	return []paint.Span{{Style: pal.OK, Text: "ok"}, {Style: pal.Muted, Text: "  " + paint.HumanDuration(r.frame.Took) + size}}
}

// explainRows are the last rows of the response: its error explained, and the key to
// its frame.
func (p *Pane) explainRows(pal *paint.Palette, w int, r *response) []string {
	var rows []string
	row := pal.Row()
	for _, line := range wrapped(r.what, w, 2) {
		row.Start(w, paint.Style{})
		row.Foreign(pal.Text, line)
		rows = append(rows, row.String())
	}
	if r.frame.Frame == nil && r.err == nil {
		row.Start(w, paint.Style{})
		row.Put(pal.Muted, p.whyNoResponse())
		rows = append(rows, row.String())
	}
	row.Start(w, paint.Style{})
	if p.call.ID != "" {
		row.Right(hint(pal, command.KeyIn(command.Composer, command.ShowResponse, true), "go to the response")...)
	}
	if r.try != "" {
		row.Put(pal.OK, pal.ArrowOut+" ")
		row.Foreign(pal.Text, r.try)
	}
	return append(rows, row.String())
}

// whyNoResponse says what to expect after a frame without an id of its own.
func (p *Pane) whyNoResponse() string {
	if p.call.Method == "" {
		return "Sent. Traffic shows what the server sends."
	}
	return "Sent. A notification has no response."
}

func wrapped(text string, w, most int) []string {
	if text == "" {
		return nil
	}
	lines := paint.Wrap(paint.Sanitize(text), w)
	if len(lines) > most {
		lines = lines[:most]
	}
	return lines
}
