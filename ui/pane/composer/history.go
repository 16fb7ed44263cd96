package composer

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/offer/compose"
	"mcptea/record/filter"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/session/state"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
	"mcptea/ui/widget"
)

// maxHistory is the number of frames that the history lists.
const maxHistory = 500

// history lists the frames that were sent by hand.
type history struct {
	page.Page[*past, *past]
	p       *Pane
	list    []*past // newest last
	older   bool    // others were sent before them
	loading bool    // loading or loaded
	failed  bool    // the file could not be written, which was reported
}

// past is a frame of the history.
type past struct {
	draft     draft
	time      time.Time
	label     string
	malformed int               // see Pane
	broken    string            // name of the malformation, or ""
	call      *session.Call     // call until its outcome is known; nil for a frame of an earlier session
	reaction  *compose.Reaction // reaction to call
	row       int32             // row of the frame in this session
	outcome   outcome
	redacted  bool
}

// An outcome is the outcome of a frame in one or two words. It is zero while unknown.
type outcome struct {
	text     string
	unsent   bool // a draft that a newer draft replaced
	isError  bool
	expected bool // the frame was malformed, and this is the expected reaction
	strange  bool // the frame was malformed, and the reaction is not the expected one
}

func (h *history) init(p *Pane) {
	h.p = p
	h.Init(page.Spec[*past, *past]{
		Noun:  "frame",
		Title: func() []paint.Span { return []paint.Span{{Text: "History"}} },
		Note: func(pal *paint.Palette) []paint.Span {
			return []paint.Span{{Style: pal.Muted, Text: paint.If(h.older, "newest ", "") + phrase.Digits(len(h.list))}}
		},
		Len: func() int { return len(h.list) },
		At:  func(i int) *past { return h.list[len(h.list)-1-i] },
		Key: func(e *past) *past { return e },
		Columns: []widget.Column[*past]{
			{Width: 6, Right: true, Cell: h.when},
			{Cell: func(e *past, pal *paint.Palette) []paint.Span {
				return []paint.Span{{Style: pal.Text, Text: e.label}}
			}},
			{Width: 24, Right: true, Cell: h.came},
		},
		Open: p.insertPast, Finds: true,
		Language: filter.Language{Items: "frames"},
		Passes: func(e *past, match func(*filter.Frame) bool) bool {
			return match(filter.OfText(e.draft.method + " " + e.draft.params))
		},
		Empty: func(d *doc.Doc) { d.Text(d.Pal.Muted, "No frame has been sent from here yet.", 2) },
	})
}

// label describes the subject of a draft in a few words.
func (d draft) label() string {
	method, params := d.method, []byte(d.params)
	if d.raw {
		e := jsonrpc.Scan(params)
		if e.Method.Span().Start == 0 || e.Kind == jsonrpc.Invalid {
			return textfield.Escape(strings.ReplaceAll(d.params[:min(len(d.params), 60)], "\n", phrase.Signs("⏎")))
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
func (h *history) load() {
	file := h.p.session.History()
	if h.loading || file == nil {
		return
	}
	h.loading = true
	h.p.app.Go(func(context.Context) func() {
		entries, _ := file.Load() // a history that cannot be read is empty
		var old []*past
		for _, e := range entries[max(len(entries)-maxHistory, 0):] {
			d := draft{method: e.Method, params: e.Params, idKind: idKind(e.ID), noMeta: e.NoMeta}
			if text := e.FrameText(); text != "" {
				d = draft{params: text, raw: true}
			}
			if d.idKind >= idKinds {
				d.idKind = idAuto
			}
			old = append(old, &past{draft: d, time: e.Time, label: compose.Label(e.Broken, d.label()), redacted: e.Redacted, row: store.None})
		}
		return func() {
			h.list = append(old, h.list...)
			h.older = h.older || len(entries) > len(old)
			h.Changed()
		}
	})
}

// keepDraft keeps an unsent draft before another one replaces it.
func (p *Pane) keepDraft() {
	d, h := p.draft(), &p.history
	if p.Empty() || p.isLarge() || slices.ContainsFunc(h.list, func(e *past) bool { return e.draft == d }) {
		return
	}
	h.list = append(h.list, &past{draft: d, time: time.Now(), label: d.label(), row: store.None, outcome: outcome{text: "draft", unsent: true}})
	h.Changed()
	p.app.Say("The previous draft is in the history: " + p.app.Key("compose.history") + ".")
}

// add adds a frame that was sent.
func (h *history) add(e *past) {
	h.load()
	h.list = slices.DeleteFunc(h.list, func(old *past) bool { return old.outcome.unsent && old.draft == e.draft })
	if n := len(h.list); n > 0 && h.list[n-1].draft == e.draft && h.list[n-1].label == e.label {
		h.list = h.list[:n-1]
	}
	h.list = append(h.list, e)
	h.older = h.older || len(h.list) > maxHistory
	h.list = h.list[max(len(h.list)-maxHistory, 0):]
	h.Changed()
	file := h.p.session.History()
	if file == nil {
		return
	}
	sent := state.Sent{Time: e.time, Method: e.draft.method, Params: e.draft.params, ID: int(e.draft.idKind), NoMeta: e.draft.noMeta, Broken: e.broken}
	if e.draft.raw {
		sent = state.Sent{Time: e.time}
		sent.SetFrame(e.draft.params)
	}
	h.p.app.Go(func(context.Context) func() {
		err := file.Add(sent)
		return func() {
			if err != nil && !h.failed {
				h.failed = true
				h.p.app.Fail(dialog.Sentence(err))
			}
		}
	})
}

// update sets the outcomes of calls that have ended.
func (h *history) update() {
	for _, e := range h.list {
		if e.call == nil {
			continue
		}
		h.p.react(e.reaction, e.call)
		if e.outcome = h.p.outcomeOf(e.call, e.reaction, e.malformed); e.outcome.text == "" {
			continue
		}
		e.row = rowOf(e.call, e.reaction)
		if !e.call.Running() && (e.reaction.Over || e.reaction.Likely != store.None || hasResponse(e.call)) {
			e.call, e.reaction = nil, nil // and the response with it, which the store has
		}
	}
}

// searchHistory lets the user find a frame by words.
func (p *Pane) searchHistory() {
	p.enter(ofHistory)
	p.history.StartFilter()
}

// insertPast puts a frame of the history into the composer.
func (p *Pane) insertPast(e *past) {
	p.keepDraft()
	p.restore(e.draft)
	if e.redacted {
		p.app.Fail("Secrets were removed from this frame when it was saved: fill them in.")
	}
}

// came returns the outcome of a frame for its row.
func (h *history) came(e *past, pal *paint.Palette) []paint.Span {
	switch {
	case e.call != nil && e.outcome.text == "":
		return []paint.Span{{Style: pal.Warn, Text: paint.Spinner(pal, h.p.tick.Spin)}}
	case e.outcome.text != "":
		return []paint.Span{e.outcome.span(pal)}
	case e.redacted:
		return []paint.Span{{Style: pal.Muted, Text: "redacted"}}
	}
	return nil
}

// span returns the outcome with its mark.
func (o outcome) span(pal *paint.Palette) paint.Span {
	switch {
	case o.expected:
		return paint.Span{Style: pal.OK, Text: pal.OKMark + " " + o.text}
	case o.unsent:
		return paint.Span{Style: pal.Muted, Text: o.text}
	case o.text == compose.NoReaction:
		return paint.Span{Style: pal.Muted, Text: pal.Absent + " " + o.text}
	case o.isError || o.strange:
		return paint.Span{Style: pal.Error, Text: pal.FailMark + " " + o.text}
	}
	return paint.Span{Style: pal.OK, Text: o.text}
}

// when returns the number of the frame, or the time when it was sent.
func (h *history) when(e *past, pal *paint.Palette) []paint.Span {
	text := e.time.Local().Format("01-02")
	switch now := h.p.tick.Now; {
	case e.row != store.None:
		text = "#" + strconv.Itoa(int(e.row)+1)
	case now.Sub(e.time) < 20*time.Hour:
		text = e.time.Local().Format("15:04")
	case now.Sub(e.time) < 6*24*time.Hour:
		text = e.time.Local().Format("Mon")
	}
	return []paint.Span{{Style: pal.Muted, Text: text}}
}

// paintHistory paints the list; a click on it moves the focus there.
func (p *Pane) paintHistory(c *app.Canvas, focused bool) {
	c.Press(func() { p.enter(ofHistory) })
	p.history.Paint(c, focused && p.focus == ofHistory)
}
