package composer

import (
	"fmt"
	"time"

	"github.com/sahilm/fuzzy"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/widget/edit"
	"mcptea/ui/widget/editor"
	"mcptea/ui/widget/prompt"
)

// Session is what the composer needs to know.
type Session interface {
	Store() *store.Store
	NextID() (jsonrpc.ID, error)
}

// field is what the keys go to.
type field uint8

const (
	fieldMethod field = iota
	fieldID
	fieldParams
)

// Pane is the composer. It belongs to the goroutine that draws.
type Pane struct {
	session Session

	method *prompt.Prompt
	params *editor.Editor
	id     edit.Buffer
	idKind idKind
	lastID jsonrpc.ID
	raw    bool // params hold the whole frame
	wrong  int  // index of a malformation plus one; 0 for none
	focus  field

	agreed  client.Handshake
	attempt int // the connection that agreed is of
	phase   session.Phase
	found   found
	blank   blank
	outcome outcome
	warned  string // the draft that was warned of: the next send goes out
	call    *session.Call
	sentAt  time.Time
	history []draft
	past    int // how far back in the history

	now       time.Time
	spin      int
	cursor    [2]int
	hasCursor bool
}

type draft struct {
	method, params string
	raw            bool
}

// found is what speaks against a version of the draft.
type found struct {
	method   string
	version  int
	raw      bool
	line     int
	col      int
	problem  string
	known    bool
	warnings []string
}

// blank says whether a version of the params is nothing but white space.
type blank struct {
	version int
	is      bool
}

// outcome is what became of the frame that was sent last.
type outcome struct {
	call   *session.Call
	answer client.Response
	err    error // no response
	rpc    error // an error response
}

// New returns an empty composer.
func New(s Session) *Pane {
	p := &Pane{session: s, method: prompt.New("›"), params: editor.New(""), blank: blank{version: -1}}
	p.method.Placeholder = "method, such as tools/call"
	p.method.Complete = p.complete
	return p
}

// complete offers the methods that a client may send in the revision in force.
func (p *Pane) complete(before string) (int, []prompt.Candidate) {
	methods := revision.Methods(p.agreed.Revision, revision.Client)
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.Name
	}
	var found []prompt.Candidate
	if before == "" {
		for _, m := range methods {
			found = append(found, prompt.Candidate{Text: m.Name, Note: m.Params})
		}
		return 0, found
	}
	for _, hit := range fuzzy.Find(before, names) {
		found = append(found, prompt.Candidate{Text: hit.Str, Note: methods[hit.Index].Params})
	}
	return 0, found
}

// Context implements the contract of panes.
func (p *Pane) Context() command.Context { return command.Composer }

// Empty reports whether there is no draft.
func (p *Pane) Empty() bool {
	if p.method.Value() != "" {
		return false
	}
	if version := p.params.Buffer().Version(); p.blank.version != version {
		p.blank = blank{version, p.params.Buffer().Blank()}
	}
	return p.blank.is
}

// Typing reports that keys are text here, always.
func (p *Pane) Typing() bool { return true }

// Busy reports whether an answer is awaited, or the text being checked.
func (p *Pane) Busy() bool { return p.call != nil && p.call.Running() || p.params.Checking() }

// Refresh takes note of the state of the session.
func (p *Pane) Refresh(st session.State, now time.Time, spin int) {
	p.agreed, p.now, p.spin = st.Handshake, now, spin
	if p.attempt != st.Attempt || p.phase != st.Phase {
		p.attempt, p.phase, p.found.known = st.Attempt, st.Phase, false
	}
	p.params.Problem()
}

// Compose puts a method and its params into the draft.
func (p *Pane) Compose(method, params string) {
	p.raw, p.wrong, p.call, p.warned = false, 0, nil, ""
	p.method.SetValue(method)
	p.params.SetValue(params)
	p.focus = fieldParams
	if method == "" {
		p.focus = fieldMethod
	}
}

// ComposeFrame puts a whole frame into the draft: its parts when it is a plain
// request or notification, else its bytes.
func (p *Pane) ComposeFrame(frame []byte) {
	e := jsonrpc.Scan(frame)
	plain := (e.Kind == jsonrpc.Request || e.Kind == jsonrpc.Notification) && e.Flaws == 0
	if !plain {
		p.Compose("", "")
		p.raw, p.focus = true, fieldParams
		p.params.SetValue(string(frame))
		return
	}
	p.Compose(string(e.Method.Of(frame)), string(e.Params.Of(frame)))
	p.idKind = idAuto
	if e.Kind == jsonrpc.Notification {
		p.idKind = idNone
	}
	if len(e.Params.Of(frame)) > 60 {
		p.params.Format()
	}
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
			return action.Flash{Text: "here the id stands in the bytes"}
		}
		p.nextID()
	case command.ToggleRawBytes:
		return p.toggleRaw()
	case command.Malform:
		p.wrong = (p.wrong + 1) % (len(jsonrpc.Mutations()) + 1)
	case command.FormatJSON:
		if !p.params.Format() {
			return action.Flash{Text: "this is not JSON, so it cannot be indented", Wrong: true}
		}
	case command.OpenEditor:
		return action.Edit{Ref: ref, Text: p.params.Value(), Suffix: ".json"}
	case command.ShowResponse:
		if row := p.AnswerRow(); row != store.None {
			return action.SelectFrame{Row: row}
		}
	case command.Back:
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

// toggleRaw goes between the parts and the bytes, and takes the draft along.
func (p *Pane) toggleRaw() action.Action {
	if p.raw {
		p.ComposeFrame([]byte(p.params.Value()))
		if p.raw {
			return action.Flash{Text: "these bytes are no request or notification, so they have no form", Wrong: true}
		}
		return nil
	}
	auto := jsonrpc.ID("1")
	if p.idKind == idAuto {
		if id, err := p.session.NextID(); err == nil {
			auto = id
		}
	}
	frame := p.build(p.idKind, auto)
	p.raw, p.focus = true, fieldParams
	p.params.SetValue(string(frame))
	return nil
}

// build makes the frame; auto is the id when that is automatic.
func (p *Pane) build(kind idKind, auto jsonrpc.ID) []byte {
	if p.raw {
		return []byte(p.params.Value())
	}
	id := auto
	switch kind {
	case idGiven:
		id = idToken(p.id.Value())
	case idNull:
		id = "null"
	case idNone:
		id = ""
	case idUsed:
		id = p.lastID
	}
	return jsonrpc.AppendRequest(nil, id, p.method.Value(), oneLine(p.params.Value()))
}

// send sends the draft. Something that speaks against it is said once; the
// same draft again goes out.
func (p *Pane) send(kind idKind) action.Action {
	p.params.Verify()
	if found := p.judge(true); len(found) > 0 && p.warned != p.fingerprint() {
		p.warned = p.fingerprint()
		return action.Flash{Text: "once more sends it all the same: " + found[0], Wrong: true}
	}
	auto := jsonrpc.ID("")
	if kind == idAuto && !p.raw {
		id, err := p.session.NextID()
		if err != nil {
			return action.Flash{Text: err.Error() + "; R connects again", Wrong: true}
		}
		auto = id
	}
	frame := p.build(kind, auto)
	if p.wrong > 0 {
		frame = jsonrpc.Mutations()[p.wrong-1].Apply(frame)
	}
	p.remember()
	if e := jsonrpc.Scan(frame); e.Kind == jsonrpc.Request {
		p.lastID = jsonrpc.ID(e.ID.Of(frame))
	}
	return action.StartFrame{Ref: ref, Frame: frame}
}

// ref is the reference of the pane in actions and events.
const ref = "composer"

// Handle implements the contract of panes that take events.
func (p *Pane) Handle(e action.Event) {
	switch e := e.(type) {
	case action.Started:
		if e.Ref == ref {
			p.call, p.sentAt = e.Call, p.now
		}
	case action.Edited:
		if e.Ref == ref {
			p.params.SetValue(e.Text)
		}
	}
}

func (p *Pane) fingerprint() string {
	return fmt.Sprint(p.method.Value(), "\x00", p.params.Value(), p.raw, p.idKind)
}

func (p *Pane) remember() {
	d := draft{p.method.Value(), p.params.Value(), p.raw}
	if n := len(p.history); n == 0 || p.history[n-1] != d {
		p.history = append(p.history, d)
	}
	p.past = 0
}

// maxFollowed is the size of params up to which their members are looked at
// while they are written. Larger ones are looked at when they are sent.
const maxFollowed = 64 << 10

// warnings are what speaks against the draft, as far as that is quickly found
// out.
func (p *Pane) warnings() []string {
	line, col, problem := p.params.Problem()
	version := p.params.Buffer().Version()
	method := p.method.Value()
	fresh := p.found.known && p.found.version == version && p.found.method == method && p.found.raw == p.raw
	if !fresh || p.found.line != line || p.found.col != col || p.found.problem != problem {
		p.found = found{method: method, version: version, raw: p.raw, line: line, col: col, problem: problem, known: true}
		p.found.warnings = p.judge(p.params.Buffer().Size() <= maxFollowed)
	}
	return p.found.warnings
}

// judge finds what speaks against the draft; whole says whether the members of
// the params are looked at.
func (p *Pane) judge(whole bool) []string {
	line, col, problem := p.params.Problem()
	if p.raw {
		if problem != "" {
			return []string{fmt.Sprintf("the frame is not JSON: line %d, column %d: %s", line, col, problem)}
		}
		return nil
	}
	text := p.params.Buffer().Start()
	if whole {
		text = p.params.Value()
	}
	return warnings(p.method.Value(), paramsText{text, problem, line, col, whole}, p.agreed)
}

// AnswerRow is the row of the answer to what was sent last, or of that itself.
func (p *Pane) AnswerRow() int32 {
	if p.call == nil || p.call.ID == "" {
		return store.None
	}
	request := p.session.Store().RequestRow(transport.Out, string(p.call.ID))
	if _, answer := p.session.Store().Related(request); answer != store.None {
		return answer
	}
	return request
}
