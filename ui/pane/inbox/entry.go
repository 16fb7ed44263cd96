package inbox

import (
	"encoding/json"
	"strconv"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/schema/variables"
	"mcptea/session/requests"
	"mcptea/ui/doc"
	"mcptea/ui/form"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// A kind is the type of a request.
type kind uint8

const (
	unread  kind = iota
	invalid      // does not follow the specification; shown as JSON
	sampling
	formFields
	visit // visit to a page
	roots
)

// A call is the client's call that a request belongs to, or zero if unknown. tab is the tab that shows it.
type call struct {
	id, name string
	tab      string
}

// entry is a request and the response to it.
type entry struct {
	req     requests.Request
	call    call
	called  bool // the call was looked up while it was pending
	kind    kind
	params  []byte // params at the time when the request was read
	problem string // why the request is not valid
	note    string // shown in the border
	url     string
	// dialectless reports whether schemas without $schema have no dialect in the protocol version.
	dialectless bool
	variables   variables.Lookup

	textOrForm editor // editor of a text or a form; nil if there is nothing to fill in
	fixed      []byte // result if there is no editor
	json       *jsonEditor
	asJSON     bool
	schema     []string // schema of the response, for reading
	sent       bool     // a response was sent from here

	view doc.Scroll     // scroll position of the request
	rows []string       // painted rows of the request
	pal  *paint.Palette // palette that the rows were painted with
	w    int            // as for pal
}

func (e *entry) waits() bool { return e.req.State == requests.Waiting }

func (e *entry) elicits() bool { return e.req.Method == client.MethodElicitation }

// took returns the time from the request to its response.
func (e *entry) took() time.Duration { return max(e.req.Answered.Sub(e.req.Arrived), 0) }

// editor returns the editor of the response, or nil if there is nothing to write.
func (e *entry) editor() editor {
	if e.asJSON {
		return e.json
	}
	return e.textOrForm
}

// result returns the current result of the response, valid or not.
func (e *entry) result() []byte {
	if ed := e.editor(); ed != nil {
		return ed.Result()
	}
	return e.fixed
}

// read parses the request, once.
func (e *entry) read() {
	if e.kind != unread {
		return
	}
	e.json = &jsonEditor{Editor: textfield.NewEditor("")}
	e.params = e.req.Params
	switch {
	case e.req.Dropped:
		e.kind, e.fixed = invalid, accept([]byte("{}"))
		e.params, e.problem = nil, "The request is large and no longer in memory. Traffic has its frame."
		return
	case e.req.Method == client.MethodSampling:
		e.kind, e.textOrForm = sampling, newText()
		e.note, e.problem = readSampling(e.params)
	case e.req.Method == client.MethodRoots:
		e.kind, e.fixed = roots, e.req.Offered
		e.toJSON()
	default:
		e.problem = e.readElicitation(e.params)
	}
	if e.problem != "" {
		e.kind, e.note = invalid, ""
		e.fixed = accept([]byte("{}"))
		if e.textOrForm != nil {
			e.fixed, e.textOrForm = e.textOrForm.Result(), nil
		}
		e.toJSON()
	}
}

// readElicitation returns why the request is not valid.
func (e *entry) readElicitation(params []byte) (problem string) {
	_, ok := str(params, "message")
	mode, _ := str(params, "mode")
	wanted, _ := jsonrpc.Member(params, "requestedSchema")
	switch {
	case !ok:
		return "Invalid request: it has no message."
	case mode == "url":
		e.kind, e.note, e.fixed = visit, "page", []byte(`{"action":"accept"}`)
		if e.url, ok = str(params, "url"); !ok {
			return "Invalid request: it has no url."
		}
	case mode != "" && mode != "form":
		return "Invalid request: its mode " + strconv.Quote(mode) + " is neither form nor url."
	case len(wanted) == 0 || wanted[0] != '{':
		return "Invalid request: its requestedSchema is not an object."
	default:
		e.readForm(wanted)
	}
	return ""
}

func (e *entry) readForm(wanted []byte) {
	e.kind, e.note, e.fixed = formFields, "form", accept([]byte("{}"))
	e.schema = form.SchemaLines(wanted)
	own := &formEditor{form.Form{Prefill: true, RowByRow: true, Variables: e.variables, Whole: form.Whole(wanted, e.dialectless)}}
	own.Take(schema.Parse(wanted))
	if e.json.form = own; own.Len() > 0 {
		e.textOrForm = own
	}
}

func (e *entry) toJSON() {
	e.json.Fill(e.result())
	e.asJSON = true
}

// fromJSON converts the whole result back to the form or the text. It returns why that is impossible without a
// loss.
func (e *entry) fromJSON() (why string) {
	raw := e.json.Result()
	switch {
	case e.kind == invalid || e.kind == roots:
		return "This request has no form: the response is JSON."
	case !json.Valid(raw):
		return "The JSON is not valid."
	case e.textOrForm != nil:
		why = e.textOrForm.Fill(raw)
	}
	e.asJSON = why != ""
	return why
}

// fill fills the response with a result; it is sent by the user.
func (e *entry) fill(result []byte) {
	e.json.SetValue(jsonrpc.Indented(result))
	e.asJSON = true
	if text, _ := str(result, "action"); e.kind == sampling || e.kind == formFields && text == "accept" {
		e.fromJSON() // back into the text or the form, if it fits
	}
}

// edited sets the text from the user's editor.
func (e *entry) edited(text string) {
	if t, ok := e.editor().(*textEditor); ok {
		t.SetValue(text)
		return
	}
	back := !e.asJSON
	e.json.SetValue(text)
	if e.asJSON = true; back {
		e.fromJSON() // back into the form if it fits
	}
}
