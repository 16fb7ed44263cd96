package inbox

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/content"
	"mcptea/session/requests"
	"mcptea/session/schema"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/schemaform"
	"mcptea/ui/widget/edit"
	"mcptea/ui/widget/editor"
	"mcptea/ui/widget/viewport"
)

// kind is what a request turned out to be.
type kind uint8

const (
	unread  kind = iota
	invalid      // not as the specification says; shown as JSON
	sampling
	form
	page
	roots
)

// call is the call of the client that a request belongs to; zero when it is not
// known. tab is the tab that shows it.
type call struct {
	id, name string
	tab      command.ID
}

// What a sampling response says of itself, unless it is edited.
const (
	userModel = "mcptea/human"
	endTurn   = "endTurn"
)

// entry is a request and the response to it.
type entry struct {
	req     requests.Request
	call    call
	called  bool // the call was looked for when the request was among those that are pending
	kind    kind
	problem string // why it is invalid
	lines   []line
	note    string // for the border
	url     string
	// dialectless says that schemas without $schema have no dialect in the revision.
	dialectless bool

	draft       schemaform.Draft // of the content of a form
	text        edit.Buffer      // of a sampling response
	model, stop string
	json        *editor.Editor // the whole result
	asJSON      bool
	said        string // what is wrong with the JSON
	warnedJSON  []byte // the JSON that does not fit the schema; sending it again sends it
	warned      bool   // that the text is empty
	sent        bool   // a response was sent from here

	view    viewport.Viewport // of the request
	painted struct {
		pal            *paint.Palette
		w              int
		spaced, packed []string // rows with and without empty ones
	}
}

func (e *entry) waits() bool { return e.req.State == requests.Waiting }

func (e *entry) elicits() bool { return e.req.Method == client.MethodElicitation }

// took is the time from the request to its response.
func (e *entry) took() time.Duration { return max(e.req.Answered.Sub(e.req.Arrived), 0) }

// writable reports whether the response has text to edit.
func (e *entry) writable() bool {
	return e.asJSON || e.kind == sampling || e.kind == form && e.draft.Form.Len() > 0
}

// read parses the request, once.
func (e *entry) read() {
	if e.kind != unread {
		return
	}
	e.text.Multi = true
	e.model, e.stop = userModel, endTurn
	e.json = editor.New("")
	params := e.req.Params
	switch {
	case e.req.Dropped:
		e.kind, e.note = invalid, ""
		e.lines = []line{{style: warning, text: "The request is large and no longer in memory. Traffic has its frame."}}
		return
	case e.req.Method == client.MethodSampling:
		e.kind = sampling
		e.lines, e.note, e.problem = samplingLines(params)
	case e.req.Method == client.MethodRoots:
		e.kind = roots
		e.lines = []line{{text: "The server requests the roots.", style: strong}}
		e.toJSON()
	default:
		e.readElicitation(params)
	}
	if e.problem != "" {
		e.kind, e.note = invalid, ""
		e.lines = []line{{style: warning, text: e.problem}, {}, {style: code, text: content.Indented(params)}}
		e.toJSON()
	}
}

func (e *entry) readElicitation(params []byte) {
	message, ok := str(params, "message")
	mode, _ := str(params, "mode")
	wanted, _ := jsonrpc.Member(params, "requestedSchema")
	switch {
	case !ok:
		e.problem = "Invalid request: it has no message."
	case mode == "url":
		e.kind, e.note = page, "page"
		e.url, ok = str(params, "url")
		if !ok {
			e.problem = "Invalid request: it has no url."
			return
		}
		e.lines = append([]line{{label: "message", text: message, style: strong}, {}}, pageLines(e.url)...)
		if id, ok := str(params, "elicitationId"); ok {
			e.lines = append(e.lines, line{}, line{label: "id", text: id})
		}
	case mode != "" && mode != "form":
		e.problem = "Invalid request: its mode " + strconv.Quote(mode) + " is neither form nor url."
	case len(wanted) == 0 || wanted[0] != '{':
		e.problem = "Invalid request: its requestedSchema is not an object."
	default:
		e.kind, e.note = form, "form"
		f := schema.Parse(wanted)
		e.draft.Prefill, e.draft.Whole = true, schemaform.Whole(wanted, e.dialectless)
		e.draft.Take(f)
		e.lines = []line{{text: message, style: strong}}
		for _, text := range []string{f.Title, f.Description} {
			if text != "" {
				e.lines = append(e.lines, line{text: text, style: muted})
			}
		}
		if f.Unclear != "" {
			e.lines = append(e.lines, line{text: f.Unclear, style: warning})
		}
	}
}

// result is the result that the response has. It is nil when something is wrong
// with it, which is then shown.
func (e *entry) result() []byte {
	if e.asJSON {
		e.said = ""
		raw := []byte(e.json.Value())
		if line, _, msg := e.json.Verify(); msg != "" {
			e.said = "Line " + strconv.Itoa(line) + ": " + msg
		} else if !json.Valid(raw) {
			e.said = "The JSON is not valid."
		}
		if e.said != "" {
			return nil
		}
		raw = schemaform.Compact(raw)
		if e.said = e.unfit(raw); e.said != "" && !bytes.Equal(raw, e.warnedJSON) {
			e.warnedJSON = raw
			return nil
		}
		e.said, e.warnedJSON = "", nil
		return raw
	}
	if e.kind == form {
		content, valid := e.draft.Check()
		if !valid {
			return nil
		}
		return accept(content)
	}
	return e.unchecked()
}

// unfit says which part of the content does not fit the form; empty when all does.
func (e *entry) unfit(result []byte) string {
	content, ok := jsonrpc.Member(result, "content")
	if action, _ := str(result, "action"); !ok || e.kind != form || action != "accept" {
		return ""
	}
	if m := e.draft.Whole(content); m != nil {
		return strings.TrimSpace("content"+m.About+" "+m.Reason) + "."
	}
	return ""
}

// unchecked is the result without validation.
func (e *entry) unchecked() []byte {
	switch {
	case e.kind == form:
		content, _ := e.draft.Values()
		return accept(content)
	case e.req.Method == client.MethodSampling:
		text := append([]byte(`{"role":"assistant","content":{"type":"text","text":`), jsonrpc.StringID(e.text.Value())...)
		text = append(append(text, `},"model":`...), jsonrpc.StringID(e.model)...)
		return append(append(append(text, `,"stopReason":`...), jsonrpc.StringID(e.stop)...), '}')
	case e.kind == page:
		return []byte(`{"action":"accept"}`)
	case e.kind == roots:
		return e.req.Offered
	}
	return accept([]byte("{}"))
}

func accept(content []byte) []byte {
	return append(append([]byte(`{"action":"accept","content":`), content...), '}')
}

func (e *entry) toJSON() {
	e.json.SetValue(string(e.unchecked()))
	e.json.Format()
	e.asJSON = true
}

// fromJSON goes back from the whole result to the form or the text. It returns why
// that is not possible without a loss.
func (e *entry) fromJSON() (why string) {
	raw := []byte(e.json.Value())
	if e.kind == invalid || e.kind == roots {
		return "This request has no form: the response is JSON."
	}
	if !json.Valid(raw) {
		return "The JSON is not valid."
	}
	switch e.kind {
	case sampling:
		kind, _ := str(raw, "content", "type")
		text, ok := str(raw, "content", "text")
		if kind != "text" || !ok {
			return "The content is not text: it can only be edited as JSON."
		}
		e.text.SetValue(text)
		e.model, _ = str(raw, "model")
		e.stop, _ = str(raw, "stopReason")
	case form:
		content, ok := jsonrpc.Member(raw, "content")
		if !ok {
			content = []byte("{}")
		}
		if why := e.draft.Fill(content); why != "" {
			return why
		}
	}
	e.asJSON, e.said = false, ""
	return ""
}

// str is a string member of an object.
func str(object []byte, name string, more ...string) (string, bool) {
	v, ok := jsonrpc.Member(object, name, more...)
	if !ok {
		return "", false
	}
	return jsonrpc.Unquote(v)
}
