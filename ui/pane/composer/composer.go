package composer

import (
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/schema/variables"
	"mcptea/offer/compose"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/session/state"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// Session is the part of the session that the composer uses.
type Session interface {
	Store() *store.Store
	NextID() (jsonrpc.ID, error)
	RequestParams(id jsonrpc.ID, method string, params []byte) ([]byte, error)
	Transport() string
	// History returns nil if nothing is kept.
	History() *state.History
	StartFrame(frame []byte) *session.Call
	Repeat(n int, interval time.Duration, frame func(id jsonrpc.ID) []byte) *session.Repetition
	Cancel(id jsonrpc.ID) error
}

// An area is a part of the pane that can have the focus. The constants are in the order of the tab key and of
// the screen.
type area uint8

const (
	ofDraft area = iota
	ofReply
	ofBreaks
	ofHistory
	parts
)

// sections lists the names of the parts in docs/keys.md.
var sections = [parts]string{"composer", "composer, response", "composer, break it", "composer, history"}

// field is a text field of the draft.
type field uint8

const (
	fieldMethod field = iota
	fieldID
	fieldParams
)

// A Pane is the composer. It belongs to the goroutine of Update.
type Pane struct {
	// Variables returns the values of variables in the strings of the form's params, or is nil. Whole frames
	// have no variables.
	Variables variables.Lookup
	// Replaces reports whether the compose key replaces the draft with another request.
	Replaces func() bool

	app       app.App
	session   Session
	commands  [parts][]keys.Command
	tick      app.Tick
	completer compose.Completer
	focus     area
	width     int     // size at the last painting
	side      float64 // share of the width for the lists, set by the user, or 0 for the default
	came      area    // place of the focus before Break it or the history; parts means outside of the composer
	arrived   bool    // the focus has moved to the composer, and no key was pressed since
	shown     bool    // it was painted: then the history is needed

	field     field
	method    textfield.Buffer
	params    *textfield.Editor // in raw mode, the whole frame
	id        textfield.Buffer
	idKind    idKind
	lastID    jsonrpc.ID // id of the last request sent
	reserved  jsonrpc.ID // the id of the next request, when it is automatic; empty until it is needed
	raw       bool
	noMeta    bool              // the _meta of the session is left out
	malformed int               // index of the malformation of the form plus one; 0 for none
	applied   applied           // malformation in raw mode
	opening   *textfield.Editor // a large frame that is being read
	before    formDraft         // the bytes were shown
	warned    draft             // the user was warned about this draft: the next send sends it

	candidates candidates
	breaks     breaks
	history    history
	reply      reply
}

// New returns an empty composer.
func New(a app.App, s Session) *Pane {
	p := &Pane{app: a, session: s}
	p.setEditor(textfield.NewEditor(""))
	p.candidates.init()
	p.breaks.init(p)
	p.history.init(p)
	p.commands = [parts][]keys.Command{p.draftCommands(), p.replyCommands(nil), p.breakCommands(), p.historyCommands()}
	return p
}

// Sections lists the commands by the parts of the pane.
func (p *Pane) Sections() []keys.Section {
	list := make([]keys.Section, parts)
	for i, name := range sections {
		list[i] = keys.Section{Name: name, Commands: p.commands[i]}
	}
	return list
}

// Section returns the name of the part with the focus.
func (p *Pane) Section() string { return sections[p.focus] }

// Go moves the focus to a part, by its name. It reports false for one that is not there.
func (p *Pane) Go(section string) bool {
	for i, name := range sections {
		if name == section && (area(i) != ofReply || p.reply.any()) {
			p.enter(area(i))
			return true
		}
	}
	return false
}

// Commands implements [app.Pane].
func (p *Pane) Commands() []keys.Command { return p.commands[p.focus] }

func (p *Pane) setEditor(e *textfield.Editor) {
	e.Numbers = true
	p.params = e
}

// Empty reports whether there is no draft.
func (p *Pane) Empty() bool {
	return p.method.Empty() && p.params.Empty() && p.opening == nil
}

// Working reports whether a response is pending, or frames are being sent.
func (p *Pane) Working() bool { return p.reply.working() }

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) bool {
	if was := p.tick.State; was.Attempt != t.State.Attempt || was.Phase != t.State.Phase {
		p.reserved = jsonrpc.ID{}
	}
	p.tick = t
	p.completer.Handshake, p.completer.Lists = t.State.Handshake, t.State.Lists
	p.params.Problem()
	if p.shown {
		p.history.load()
	}
	busy := p.reply.refresh(t)
	p.history.update()
	return busy || p.params.Checking() || p.opening != nil
}

// enter moves the focus to a part.
func (p *Pane) enter(to area) {
	p.candidates.close()
	if p.focus == ofHistory && to != ofHistory {
		p.history.ClearFilter()
	}
	if p.focus != ofBreaks && to == ofBreaks {
		p.breaks.before = p.malformed
	}
	if p.focus == ofDraft || p.focus == ofReply {
		p.came = paint.If(p.arrived, parts, p.focus)
	}
	p.focus = to
}

// leave returns from Break it or the history to the previous place, and reports whether that is in the
// composer.
func (p *Pane) leave() bool {
	if p.focus == ofBreaks && !p.raw {
		p.malformed = p.breaks.before
	}
	to := p.came
	p.enter(paint.If(to == ofReply && p.reply.any(), ofReply, ofDraft))
	return to != parts
}

// Edit moves the focus to the draft.
func (p *Pane) Edit() {
	p.enter(ofDraft)
	p.arrived = true
}

// Motion implements [app.Pane].
func (p *Pane) Motion(m keys.Motion) bool {
	p.arrived = false
	switch p.focus {
	case ofHistory:
		if p.history.Motion(m) {
			return true
		}
	case ofBreaks:
		if keys.Scroll(&p.breaks.list, m) {
			p.pickBreak()
			return true
		}
	case ofReply:
		if v := p.reply.view; v != nil && v.Motion(m) {
			return true
		}
	default:
		if p.move(m) {
			return true
		}
	}
	switch m {
	case keys.Back:
		return p.focus != ofDraft && p.focus != ofReply && p.leave()
	case keys.Next:
		return p.step(1)
	case keys.Previous:
		return p.step(-1)
	}
	return false
}

// step moves the focus to the next or previous part that is not empty, wrapping around. Only back leaves the
// composer. The part after the draft is the same with and without a response.
func (p *Pane) step(by int) bool {
	const n = int(parts)
	for to := (int(p.focus) + by + n) % n; to != int(p.focus); to = (to + by + n) % n {
		if to == int(ofHistory) && len(p.history.list) == 0 || to == int(ofReply) && (by > 0 || !p.reply.any()) {
			continue
		}
		p.enter(area(to))
		return true
	}
	return false
}

// Compose puts a method and its params into the form. The params are literal and contain no variables.
func (p *Pane) Compose(method, params string) {
	params = string(variables.LiteralJSON([]byte(params)))
	p.keepDraft()
	p.reset()
	p.reply.clear()
	p.method.SetValue(method)
	p.params.SetValue(params)
	if p.field = fieldParams; method == "" {
		p.field = fieldMethod
	}
	p.arrange(params)
}

// arrange indents params that are on one line, and puts the cursor at the first value to fill in.
func (p *Pane) arrange(params string) {
	if len(params) > maxFollowed {
		return
	}
	if len(params) > 30 && !strings.Contains(params, "\n") {
		p.params.Format()
	}
	if gap := strings.Index(p.params.Value(), `""`); gap >= 0 {
		p.params.SetOffset(gap + 1)
	}
}

// reset empties the composer.
func (p *Pane) reset() {
	p.enter(ofDraft)
	p.raw, p.noMeta, p.malformed, p.warned, p.opening = false, false, 0, draft{}, nil
	p.idKind, p.field, p.before = idAuto, fieldMethod, formDraft{}
	p.method.SetValue("")
	p.setEditor(textfield.NewEditor(""))
}

// next moves to the field after the focused one. Empty params get the template of the method.
func (p *Pane) next() {
	p.candidates.close()
	if p.field == fieldMethod && p.idKind == idGiven {
		p.field = fieldID
		return
	}
	p.field = fieldParams
	m, ok := revision.Lookup(p.method.Value())
	if ok && p.params.Size() < maxFollowed && strings.TrimSpace(p.params.Value()) == "" && !p.raw {
		p.params.SetValue(m.Params)
		p.arrange(m.Params)
		p.suggest(true)
	}
}

func (p *Pane) previous() {
	p.candidates.close()
	if p.field == fieldParams && p.idKind == idGiven {
		p.field = fieldID
		return
	}
	p.field = fieldMethod
}
