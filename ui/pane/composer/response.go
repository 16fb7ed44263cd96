package composer

import (
	"errors"
	"strconv"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/editdistance"
	"mcptea/internal/phrase"
	"mcptea/session"
	"mcptea/session/failure/card"
	"mcptea/session/store"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// response is the outcome of the frame that was sent last.
type response struct {
	key   responseKey
	frame client.Response
	err   error    // there is no response
	lines []string // of the response, indented
	what  string   // the error in the words of the server
	also  string   // what it means, or what else may be wrong
	try   string   // what to do
	isErr bool
	top   int // the first line in sight
}

// responseKey changes when another response is shown.
type responseKey struct {
	call    *session.Call
	running bool
	likely  int32 // see reaction
}

// maxShown is how many bytes of a response are indented.
const maxShown = 32 << 10

// outcome returns the response once it is there, or what is most likely the response.
func (p *Pane) outcome() *response {
	if p.call == nil || p.call.Running() && p.likely() == store.None {
		return nil
	}
	if key := (responseKey{p.call, p.call.Running(), p.likely()}); p.response.key != key {
		p.response = p.newResponse(key)
	}
	return &p.response
}

// hasResponse reports whether a call has got the response with its id.
func hasResponse(c *session.Call) bool {
	if c.Running() {
		return false
	}
	response, _ := c.Outcome()
	return response.Frame != nil
}

func (p *Pane) newResponse(key responseKey) response {
	r := response{key: key}
	if !key.running {
		r.frame, r.err = key.call.Outcome()
	}
	switch {
	case r.frame.Frame == nil && key.likely != store.None:
		return p.observed(r)
	case r.err != nil:
		r.isErr, r.what = true, phrase.Capital(r.err.Error())
		return r
	case r.frame.Frame == nil:
		return r
	}
	r.lines = indented(r.frame.Frame)
	var rpc *client.RPCError
	if errors.As(r.frame.Err(), &rpc) {
		p.explain(&r, r.frame.Frame, rpc)
	} else {
		r.isErr = key.call.ToolError()
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

// explain says what an error response means, and what to do: the words of the server
// first, since they are about this request.
func (p *Pane) explain(r *response, frame []byte, rpc *client.RPCError) {
	r.isErr, r.what = true, rpc.Message
	call := r.key.call
	c, ok := card.OfError(frame, card.Where{Revision: p.handshake.Revision, Method: call.Method, Wire: true})
	if ok {
		meaning := c.Likely()
		r.also = meaning.Name + ": " + meaning.Means
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
	r.also = "also: no " + noun + " has the name \"" + name + "\"."
	if best != "" {
		r.try = "Did you mean " + best + "?"
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
		rows := append([]string{p.waitingRow(pal, inner)}, p.reactionRows(pal, inner, h-3)...)
		return paint.Box(pal, w, h, false, p.responseTitle(pal), nil, padded(rows))
	}
	var body []string
	if r.frame.Frame == nil && r.err == nil {
		body = p.reactionRows(pal, inner, max((h-2)/2, 1))
	}
	foot := p.explainRows(pal, inner, h-2-len(body), r)
	room := max(h-2-len(body)-len(foot), 0)
	r.top = min(r.top, max(len(r.lines)-room, 0))
	for _, line := range r.lines[r.top:min(len(r.lines), r.top+room)] {
		row := pal.Row()
		row.Start(inner, paint.Style{})
		js.Put(row, []byte(line))
		body = append(body, row.String())
	}
	return paint.Box(pal, w, h, false, p.responseTitle(pal), p.responseNote(pal, r), padded(append(body, foot...)))
}

func (p *Pane) waitingRow(pal *paint.Palette, w int) string {
	row := pal.Row()
	row.Start(w, paint.Style{})
	row.Put(pal.Warn, paint.Spinner(pal, p.spin)+" ")
	row.Put(pal.Muted, "waiting for "+paint.HumanDuration(max(0, p.now.Sub(p.call.Started))))
	row.Gap(3)
	row.Spans(hint(pal, command.KeyIn(command.Composer, command.CancelCall, true), "cancel")...)
	return row.String()
}

func (p *Pane) responseTitle(pal *paint.Palette) []paint.Span {
	spans := []paint.Span{{Style: pal.TextBold, Text: "response"}}
	switch {
	case p.call.ID != "":
		spans = append(spans, paint.Span{Style: pal.Muted, Text: " to id " + paint.Cut(paint.Sanitize(string(p.call.ID)), 24)})
	case p.reaction != nil && p.reaction.row != store.None:
		spans = append(spans, paint.Span{Style: pal.Muted, Text: " to #" + strconv.Itoa(int(p.reaction.row)+1)})
	}
	return spans
}

func (p *Pane) responseNote(pal *paint.Palette, r *response) []paint.Span {
	facts := paint.Span{Style: pal.Muted, Text: "  " + paint.HumanDuration(r.frame.Took) + " " + pal.Separator + " " + paint.HumanSize(int64(len(r.frame.Frame)))}
	switch {
	case r.err != nil:
		return []paint.Span{{Style: pal.Error, Text: pal.FailMark + " no response"}}
	case r.frame.Frame == nil:
		text, isError := "sent", false
		if p.reaction != nil && p.session != nil {
			text, isError = p.reaction.outcome(p.session.Store())
		}
		switch {
		case text == "":
			return []paint.Span{{Style: pal.Warn, Text: paint.Spinner(pal, p.spin) + " waiting for frames"}}
		case isError:
			return []paint.Span{{Style: pal.Error, Text: pal.FailMark + " error " + text}}
		}
		return []paint.Span{{Style: pal.OK, Text: text}}
	case r.isErr && r.frame.Err() != nil:
		return []paint.Span{{Style: pal.Error, Text: pal.FailMark + " error " + codeOf(r.frame.Frame)}, facts}
	case r.isErr:
		return []paint.Span{{Style: pal.Error, Text: pal.FailMark + " tool error"}, facts}
	}
	return []paint.Span{{Style: pal.OK, Text: "ok"}, facts}
}

// explainRows are the last rows of the response, at most h: its error explained, and
// the key to its frame.
func (p *Pane) explainRows(pal *paint.Palette, w, h int, r *response) []string {
	var rows []string
	row := pal.Row()
	add := func(st paint.Style, text string, most int) {
		for _, line := range wrapped(text, w, min(most, h-1-len(rows))) {
			row.Start(w, paint.Style{})
			row.Put(st, line)
			rows = append(rows, row.String())
		}
	}
	add(pal.Text, r.what, 2)
	add(pal.Muted, r.also, 2)
	if r.frame.Frame == nil && r.err == nil && len(r.lines) == 0 {
		add(pal.Muted, p.whyNoResponse(), 1)
	}
	row.Start(w, paint.Style{})
	if p.ResponseRow() != store.None {
		row.Right(hint(pal, command.KeyIn(command.Composer, command.ShowResponse, true), "go to the response")...)
	}
	if r.try != "" {
		row.Put(pal.OK, pal.ArrowOut+" ")
		row.Put(pal.Text, r.try)
	}
	return append(rows, row.String())
}

// whyNoResponse says what to expect after a frame that has no response with its id.
func (p *Pane) whyNoResponse() string {
	r := p.reaction
	switch {
	case r == nil:
		return "Sent."
	case r.plain:
		return "Sent. A notification has no response."
	case !r.over:
		return "Sent. Waiting for frames."
	case len(r.rows) == 0:
		return "Sent. No frame came within 2 s."
	}
	return "Sent. No response came within 2 s."
}

func wrapped(text string, w, most int) []string {
	if text == "" || most <= 0 {
		return nil
	}
	lines := paint.Wrap(paint.Sanitize(text), w)
	if len(lines) > most {
		lines = lines[:most]
	}
	return lines
}
