package composer

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/phrase"
	"mcptea/session"
	"mcptea/session/state"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/edit"
	"mcptea/ui/widget/input"
)

// maxHistory is how many frames the history lists.
const maxHistory = 500

// history lists the frames that were sent by hand, the newest last.
type history struct {
	open      bool // it has the keys
	selection      // among those shown, the newest first
	filter    input.Input
	list      []past
	loaded    bool
	failure   string // why the file could not be written
}

// past is a frame of the history.
type past struct {
	draft    draft
	time     time.Time
	label    string
	call     *session.Call // until its outcome is known; nil for one of an earlier session
	reaction *reaction     // of call
	row      int32         // of the frame in this session
	outcome  string        // empty while it is not known
	isError  bool
	redacted bool
}

// label is what a draft is about, in a few words.
func (d draft) label() string {
	method, params := d.method, []byte(d.params)
	if d.raw {
		e := jsonrpc.Scan(params)
		if e.Method.Start == 0 || e.Kind == jsonrpc.Invalid {
			return edit.Escape(strings.ReplaceAll(d.params[:min(len(d.params), 60)], "\n", "⏎"))
		}
		method, params = e.MethodName(params), e.Params.Of(params)
	}
	for _, name := range []string{"name", "uri", "taskId", "level"} {
		if value, ok := jsonrpc.Member(params, name); ok {
			text, _ := jsonrpc.Unquote(value)
			return method + " " + text
		}
	}
	return method
}

// load reads the frames of earlier sessions, once.
func (h *history) load(p *Pane) {
	if h.loaded || p.session == nil {
		return
	}
	h.loaded = true
	file := p.session.History()
	if file == nil {
		return
	}
	entries, _ := file.Load() // a history that cannot be read is empty
	var old []past
	for _, e := range entries[max(len(entries)-maxHistory, 0):] {
		d := draft{method: e.Method, params: e.Params, idKind: idKind(e.ID), noMeta: e.NoMeta}
		if text := e.FrameText(); text != "" {
			d = draft{params: text, raw: true}
		}
		if d.idKind >= idKinds {
			d.idKind = idAuto
		}
		old = append(old, past{draft: d, time: e.Time, label: d.label(), redacted: e.Redacted, row: store.None})
	}
	h.list = append(old, h.list...)
}

// add adds a draft that was sent.
func (h *history) add(p *Pane, sent *sending) {
	if sent == nil || !sent.kept {
		return
	}
	d := sent.draft
	h.load(p)
	if n := len(h.list); n > 0 && h.list[n-1].draft == d && h.list[n-1].label == sent.label {
		h.list = h.list[:n-1]
	}
	h.list = append(h.list, past{draft: d, time: time.Now(), label: sent.label, row: store.None})
	h.list = h.list[max(len(h.list)-maxHistory, 0):]
	h.at, h.top = 0, 0
	if p.session == nil {
		return
	}
	if file := p.session.History(); file != nil {
		e := state.Sent{Time: time.Now(), Method: d.method, Params: d.params, ID: int(d.idKind), NoMeta: d.noMeta}
		if d.raw {
			e = state.Sent{Time: e.Time}
			e.SetFrame(d.params)
		}
		if err := file.Add(e); err != nil && h.failure == "" {
			h.failure = phrase.Capital(err.Error())
		}
	}
}

// sent takes the call of the newest draft, if that was added for it.
func (h *history) sent(c *session.Call, sent *sending) {
	if n := len(h.list); n > 0 && sent.kept {
		h.list[n-1].call, h.list[n-1].reaction = c, sent.reaction
	}
}

// update takes the outcomes of calls that have ended.
func (h *history) update(p *Pane) {
	for i := range h.list {
		e := &h.list[i]
		if e.call == nil {
			continue
		}
		if e.reaction != nil && e.reaction != p.reaction {
			e.reaction.refresh(p.session.Store(), e.call.Started, p.now)
		}
		if e.outcome, e.isError = outcomeOf(e.call, e.reaction, p.session.Store()); e.outcome == "" {
			continue
		}
		e.row = rowOf(e.call, e.reaction, p.session.Store())
		if e.call.Running() || e.reaction != nil && !e.reaction.over && e.reaction.likely == store.None && !hasResponse(e.call) {
			continue // more may come
		}
		e.call, e.reaction = nil, nil // and with it the response, which the store has
	}
}

// rowOf is the row of the frame of a call.
func rowOf(c *session.Call, r *reaction, s *store.Store) int32 {
	if c.ID != "" {
		return s.RequestRow(transport.Out, string(c.ID))
	}
	if r != nil {
		return r.row
	}
	return store.None
}

// outcomeOf is the outcome of a call in one or two words; empty while it is not known.
func outcomeOf(c *session.Call, r *reaction, s *store.Store) (text string, isError bool) {
	if c.Running() {
		if r != nil && r.likely != store.None {
			return r.outcome(s)
		}
		return "", false
	}
	response, err := c.Outcome()
	switch {
	case response.Frame == nil && r != nil && (r.likely != store.None || err == nil):
		return r.outcome(s)
	case err != nil:
		return "no response", true
	case response.Frame == nil:
		return "sent", false
	case response.Err() != nil:
		return codeOf(response.Frame), true
	case c.ToolError():
		return "tool error", true
	}
	return "ok", false
}

func codeOf(frame []byte) string {
	code, _ := jsonrpc.Member(frame, "error", "code")
	if n, ok := jsonrpc.Integer(code); ok {
		return strconv.FormatInt(n, 10)
	}
	return "error"
}

func (p *Pane) openHistory() {
	h := &p.history
	h.load(p)
	p.suggestions = suggestions{}
	h.open = true
	h.filter.SetValue("")
	h.at, h.top = 0, 0
}

// shown lists the frames that match the filter, the newest first.
func (h *history) shown() []int {
	words := strings.Fields(strings.ToLower(h.filter.Value()))
	var found []int
	for i := len(h.list) - 1; i >= 0; i-- {
		text := strings.ToLower(h.list[i].draft.method + " " + h.list[i].draft.params)
		matches := true
		for _, w := range words {
			matches = matches && strings.Contains(text, w)
		}
		if matches {
			found = append(found, i)
		}
	}
	return found
}

// key takes a key while the history has them.
func (h *history) key(p *Pane, k tea.KeyPressMsg) (action.Action, bool) {
	key, shown := k.String(), h.shown()
	if isKey(command.Composer, command.SearchHistory, key) {
		h.open = false
		return nil, true
	}
	cmd, ok := command.Lookup(command.Dialog, key)
	switch {
	case ok && cmd.ID == command.Accept, isKey(command.Suggestions, command.InsertSuggestion, key):
		h.open = false
		if len(shown) == 0 {
			return nil, true
		}
		return p.insertPast(shown[min(h.at, len(shown)-1)]), true
	case ok && cmd.ID == command.Dismiss:
		h.open = false
		return nil, true
	case ok && cmd.Context == command.Dialog:
		if step, moves := command.Steps(cmd.ID, 8, 4, len(shown)); moves {
			h.move(step, len(shown))
			return nil, true
		}
	}
	if h.filter.Key(k) {
		h.at, h.top = 0, 0
	}
	return nil, true
}

// insertPast puts a frame of the history into the composer.
func (p *Pane) insertPast(i int) action.Action {
	e := p.history.list[i]
	p.history.open = false
	p.restore(e.draft)
	if e.redacted {
		return action.Flash{Text: "Secrets were removed from this frame when it was kept: fill them in", Wrong: true}
	}
	return nil
}

// rows paints the history in a box.
func (h *history) rows(p *Pane, pal *paint.Palette, w, hgt int) []string {
	h.load(p)
	shown := h.shown()
	inner := w - 4
	var body []string
	if h.open {
		r := pal.Row()
		r.Start(inner, pal.Field)
		text, cursor := h.filter.Visible(inner - 2)
		r.Put(pal.Muted, "/ ")
		r.Put(pal.Text, text)
		body = append(body, r.String())
		p.filterCursor = cursor + 2
	}
	room := max(hgt-2-len(body), 0)
	if h.failure != "" && room > 1 {
		room--
	}
	if len(shown) == 0 && room > 0 {
		text := "No frame has been sent yet."
		if len(h.list) > 0 {
			text = "No frame matches."
		}
		body = append(body, pal.Muted.Render(pal.Cut(text, inner)))
	}
	from, to := h.window(room, len(shown))
	for i := from; i < to; i++ {
		body = append(body, h.row(p, pal, inner, &h.list[shown[i]], h.open && i == h.at))
	}
	if h.failure != "" {
		for len(body) < hgt-3 {
			body = append(body, "")
		}
		body = append(body, pal.Warn.Render(pal.Cut(paint.Sanitize(h.failure), inner)))
	}
	key := command.KeyIn(command.Composer, command.SearchHistory, true)
	note := []paint.Span{{Style: pal.AccentBold, Text: key}, {Style: pal.Muted, Text: " search, " + paint.HumanCount(len(h.list))}}
	return paint.Box(pal, w, hgt, h.open, title(pal, "History", h.open), note, padded(body))
}

func (h *history) row(p *Pane, pal *paint.Palette, w int, e *past, selected bool) string {
	r := pal.Row()
	base := paint.Style{}
	if selected {
		base = pal.Selected
	}
	r.Start(w, base)
	switch {
	case e.call != nil && e.outcome == "":
		r.Right(paint.Span{Style: pal.Warn, Text: paint.Spinner(pal, p.spin)})
	case e.isError:
		r.Right(paint.Span{Style: pal.Error, Text: pal.FailMark + " " + e.outcome})
	case e.outcome != "":
		r.Right(paint.Span{Style: pal.OK, Text: e.outcome})
	case e.redacted:
		r.Right(paint.Span{Style: pal.Muted, Text: "redacted"})
	}
	r.CellRight(pal.Muted, h.when(p, e), 5)
	r.Gap(2)
	r.Put(pal.Text, e.label)
	return r.String()
}

// when is the number of the frame, or when it was sent.
func (h *history) when(p *Pane, e *past) string {
	switch now := p.now; {
	case e.row != store.None:
		return "#" + strconv.Itoa(int(e.row)+1)
	case now.Sub(e.time) < 20*time.Hour:
		return e.time.Local().Format("15:04")
	case now.Sub(e.time) < 6*24*time.Hour:
		return e.time.Local().Format("Mon")
	}
	return e.time.Local().Format("01-02")
}
