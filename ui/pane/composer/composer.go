package composer

import (
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/state"
	"mcptea/session/store"
	"mcptea/session/variables"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/widget/edit"
	"mcptea/ui/widget/editor"
)

// Session is what the composer needs of the session.
type Session interface {
	Store() *store.Store
	NextID() (jsonrpc.ID, error)
	RequestParams(id jsonrpc.ID, method string, params []byte) ([]byte, error)
	Transport() string
	// History is nil when nothing is to be kept.
	History() *state.History
}

// field is a text field of the form.
type field uint8

const (
	fieldMethod field = iota
	fieldID
	fieldParams
)

// Pane is the composer. It belongs to the goroutine that draws.
type Pane struct {
	// Variables are those of the form, in the strings of the params; nil for none. The
	// bytes of a whole frame have none.
	Variables variables.Lookup

	session Session

	method    edit.Buffer
	params    *editor.Editor // or the whole frame, in raw mode
	id        edit.Buffer
	idKind    idKind
	lastID    jsonrpc.ID // of the last request that was sent
	reserved  jsonrpc.ID // the id of the next request, when it is automatic; empty until it is needed
	raw       bool
	noMeta    bool // the _meta of the session is left out
	malformed int  // index of a malformation plus one; 0 for none
	focus     field
	opening   <-chan *editor.Editor // a large frame that is being read

	state     session.State
	handshake client.Handshake
	checked   checked
	frame     assembled
	call      *session.Call
	response  response
	reaction  *reaction // to the frame that was sent last; nil for none
	sending   *sending  // until the frame is sent
	before    formDraft // the bytes were shown
	warned    draft     // the user was warned of it: the next send sends it

	suggestions suggestions
	tools       names
	malform     malformList
	history     history
	repeat      repeat

	now       time.Time
	spin      int
	at        geometry
	cursor    [2]int
	hasCursor bool
	// The columns of the cursor in the filter of the history and in the count.
	filterCursor, fieldCursor int
}

// New returns an empty composer.
func New(s Session) *Pane {
	p := &Pane{session: s}
	p.setEditor(editor.New(""))
	return p
}

func (p *Pane) setEditor(e *editor.Editor) {
	e.Numbers, e.Quiet = true, true
	p.params = e
	p.checked, p.frame = checked{}, assembled{}
}

// Context implements the contract of panes: while a list is open, its keys work.
func (p *Pane) Context() command.Context {
	if p.suggestions.open() || p.history.open || p.malform.open || p.repeat.open {
		return command.Suggestions
	}
	return command.Composer
}

// Empty reports whether there is no draft.
func (p *Pane) Empty() bool { return p.method.Empty() && p.params.Buffer().Empty() && p.opening == nil }

// Typing reports that keys are text here, always.
func (p *Pane) Typing() bool { return true }

// Busy reports whether a response is pending, or the text is being read or checked.
func (p *Pane) Busy() bool {
	return p.call != nil && (p.call.Running() || p.reaction != nil && !p.reaction.over) || p.repeat.running != nil && p.repeat.running.Running() || p.params.Checking() || p.opening != nil
}

// Refresh takes the state of the session.
func (p *Pane) Refresh(st session.State, now time.Time, spin int) {
	if p.state.Attempt != st.Attempt || p.state.Phase != st.Phase {
		p.checked, p.frame, p.reserved = checked{}, assembled{}, ""
	}
	p.state, p.handshake, p.now, p.spin = st, st.Handshake, now, spin
	select {
	case e := <-p.opening:
		p.opening = nil
		p.setEditor(e)
	default:
	}
	p.params.Problem()
	if p.reaction != nil && p.call != nil {
		p.reaction.refresh(p.session.Store(), p.call.Started, now)
		p.reaction.over = p.reaction.over || hasResponse(p.call)
	}
	p.history.update(p)
}

// Compose puts a method and its params into the form. Nothing of them is a variable.
func (p *Pane) Compose(method, params string) {
	params = string(variables.LiteralJSON([]byte(params)))
	p.reset()
	p.method.SetValue(method)
	p.params.SetValue(params)
	if p.focus = fieldParams; method == "" {
		p.focus = fieldMethod
	}
	p.arrange(params)
}

// arrange indents params that came on one line and puts the cursor where there is
// something to fill in.
func (p *Pane) arrange(params string) {
	if len(params) > 30 && len(params) <= maxFollowed && !strings.Contains(params, "\n") {
		p.params.Format()
	}
	if len(params) <= maxFollowed {
		if gap := strings.Index(p.params.Value(), `""`); gap >= 0 {
			p.params.Buffer().SetOffset(gap + 1)
		}
	}
}

// reset empties the composer.
func (p *Pane) reset() {
	p.raw, p.noMeta, p.malformed, p.call, p.warned, p.opening = false, false, 0, nil, draft{}, nil
	p.idKind, p.focus, p.before = idAuto, fieldMethod, formDraft{}
	p.suggestions, p.malform.open, p.history.open = suggestions{}, false, false
	p.method.SetValue("")
	p.setEditor(editor.New(""))
}

// maxForm is the size in bytes up to which a frame is put into the form, previewed
// and kept in the history. Larger ones are edited as bytes.
const maxForm = 1 << 20

// ComposeFrame puts a whole frame into the composer: into the form when that can
// send the same bytes but for the id and the _meta, as bytes otherwise. One that has
// braces as a variable has stays as it is, in bytes.
func (p *Pane) ComposeFrame(frame []byte) {
	if hasVariables(frame) {
		p.reset()
		p.setRaw(frame)
		return
	}
	p.compose(frame)
}

func (p *Pane) compose(frame []byte) {
	p.reset()
	if len(frame) > maxForm {
		p.openLarge(frame)
		return
	}
	e := jsonrpc.Scan(frame)
	method, params := e.MethodName(frame), variables.LiteralJSON(e.Params.Of(frame))
	var id jsonrpc.ID
	if e.Kind == jsonrpc.Request {
		id = jsonrpc.ID(e.ID.Of(frame))
	}
	plain := (e.Kind == jsonrpc.Request || e.Kind == jsonrpc.Notification) && e.Flaws == 0
	if !plain || string(jsonrpc.AppendRequest(nil, id, method, variables.Plain(oneLine(edit.Clean(string(params)))))) != string(frame) || edit.Clean(method) != method {
		p.setRaw(frame)
		return
	}
	if e.Kind == jsonrpc.Notification {
		p.idKind = idNone
	} else {
		params, p.noMeta = p.withoutFilledMeta(method, params)
	}
	p.focus = fieldParams
	p.method.SetValue(method)
	p.params.SetValue(string(params))
	p.arrange(string(params))
}

// setRaw goes to raw mode with the bytes of a frame.
func (p *Pane) setRaw(frame []byte) {
	p.raw, p.focus = true, fieldParams
	p.params.SetBytes(frame, true)
}

// openLarge reads a large frame in the background.
func (p *Pane) openLarge(frame []byte) {
	p.raw, p.focus = true, fieldParams
	opening := make(chan *editor.Editor, 1)
	p.opening = opening
	st := p.session.Store()
	go func() {
		e := editor.New("")
		e.SetBytes(frame, true)
		opening <- e
		st.Notify()
	}()
}

// keepID takes the id of a pasted frame over as well: unlike a frame that is
// sent again, it was written with it.
func (p *Pane) keepID(frame []byte) {
	if e := jsonrpc.Scan(frame); e.Kind == jsonrpc.Request && !p.raw {
		p.idKind = idGiven
		p.id.SetValue(string(e.ID.Of(frame)))
	}
}

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	switch name {
	case command.SendFrame:
		return p.send(p.idKind)
	case command.SendNotification:
		return p.send(idNone)
	case command.CycleID:
		if p.raw {
			return action.Flash{Text: "In raw mode, edit the id in the frame itself"}
		}
		p.nextID()
	case command.ToggleRawBytes:
		return p.toggleRaw()
	case command.ToggleMeta:
		return p.toggleMeta()
	case command.Malform:
		return p.openMalform()
	case command.SearchHistory:
		p.openHistory()
	case command.SendRepeatedly:
		return p.openRepeat()
	case command.FormatJSON:
		return p.format()
	case command.OpenEditor:
		return p.openEditor()
	case command.Complete:
		return p.complete()
	case command.CancelCall:
		if p.repeat.running != nil && p.repeat.running.Running() {
			p.repeat.running.Cancel()
			return nil
		}
		if p.call != nil && p.call.Running() {
			return action.Cancel{ID: p.call.ID}
		}
		return action.Flash{Text: "No request of the composer is pending"}
	case command.ShowResponse:
		if row := p.ResponseRow(); row != store.None {
			return action.SelectFrame{Row: row}
		}
		return action.Flash{Text: "Nothing has been sent yet"}
	case command.Back:
		if p.repeat.running != nil && p.repeat.running.Running() {
			p.repeat.running.Cancel()
			return nil
		}
		return action.Leave{}
	}
	return nil
}

func (p *Pane) nextID() {
	p.idKind = (p.idKind + 1) % idKinds
	if p.idKind == idUsed && p.lastID == "" {
		p.idKind++
	}
	if p.idKind == idGiven {
		p.focus = fieldID
	} else if p.focus == fieldID {
		p.focus = fieldParams
	}
}

// toggleRaw goes between the form and the bytes, and takes the draft along. A
// malformation becomes part of the bytes.
func (p *Pane) toggleRaw() action.Action {
	if !p.raw {
		was := formDraft{draft: p.draft(), malformed: p.malformed, bytes: string(p.assemble(p.idKind, nil))}
		p.setRaw([]byte(was.bytes))
		p.malformed, p.before = 0, was
		return nil
	}
	if p.params.Buffer().Size() > maxForm {
		return action.Flash{Text: "Frames larger than 1 MB are edited as bytes", Wrong: true}
	}
	frame := []byte(p.params.Value())
	if was := p.before; was.bytes == string(frame) {
		p.restore(was.draft) // with its variables
		p.malformed = was.malformed
		return nil
	}
	call := p.call
	p.compose(frame)
	p.call = call
	if p.raw {
		return action.Flash{Text: "The form cannot send these bytes: they are not a request or notification in its compact form", Wrong: true}
	}
	return nil
}

func (p *Pane) format() action.Action {
	switch {
	case p.params.Buffer().Size() > maxForm:
		return action.Flash{Text: "Text larger than 1 MB is not formatted", Wrong: true}
	case !p.params.Format():
		return action.Flash{Text: "Cannot format: " + p.params.Sentence(), Wrong: true}
	}
	return nil
}

// ref is the reference of the pane in actions and events, refRaw that of raw bytes
// in the editor of the user.
const (
	ref    = "composer"
	refRaw = "composer raw"
)

// Handle implements the contract of panes that take events.
func (p *Pane) Handle(e action.Event) {
	switch e := e.(type) {
	case action.Started:
		if e.Ref == ref {
			p.sent(e.Call)
		}
	case action.Repeating:
		if e.Ref == ref {
			p.repeat.running, p.call, p.reaction = e.Repetition, nil, nil
			p.history.add(p, p.sending)
			p.sending = nil
		}
	case action.Edited:
		switch e.Ref {
		case ref:
			p.params.SetValue(e.Text)
		case refRaw:
			p.params.SetBytes([]byte(edit.Unescape(e.Text)), true)
		}
	}
}

// ResponseRow is the row of the response to what was sent last, or that of the
// request itself while there is not one.
func (p *Pane) ResponseRow() int32 {
	switch {
	case p.call == nil || p.session == nil:
		return store.None
	case p.call.ID == "" || p.call.Running() && p.likely() != store.None:
		if p.reaction != nil && p.likely() == store.None {
			return p.reaction.row
		}
		return p.likely()
	}
	return responseRow(p.session.Store(), p.call)
}
