package inbox

import (
	"encoding/json"
	"strconv"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/content"
	"mcptea/session/inbox"
	"mcptea/session/schema"
	"mcptea/ui/paint"
	"mcptea/ui/schemaform"
	"mcptea/ui/widget/edit"
	"mcptea/ui/widget/editor"
)

// shape is what a request turned out to be.
type shape uint8

const (
	unread  shape = iota
	unclear       // not what the protocol says; shown as JSON
	sampling
	form
	page
)

// call is the call of ours that a request belongs to; zero when not known.
type call struct{ id, name string }

// What an answer to sampling says of itself, unless it is edited.
const (
	humanModel = "mcptea/human"
	endTurn    = "endTurn"
)

// entry is a request and the answer that is being written to it.
type entry struct {
	ask    inbox.Request
	during call
	shape  shape
	why    string // it is unclear
	facts  []fact
	note   string // for the border
	url    string

	draft       schemaform.Draft // of a form's content
	text        edit.Buffer      // of sampling
	model, stop string
	json        *editor.Editor // the whole result
	asJSON      bool
	said        string // what is wrong with the JSON
	sent        bool   // from here

	top     int // rows of the request scrolled off
	painted struct {
		pal  *paint.Palette
		w    int
		gaps bool
		rows []string
	}
}

func (e *entry) waits() bool { return e.ask.State == inbox.Waiting }

// writable reports whether there is something to type into.
func (e *entry) writable() bool {
	return e.asJSON || e.shape == sampling || e.shape == form && e.draft.Form.Len() > 0
}

// read makes sense of the request, once.
func (e *entry) read() {
	if e.shape != unread {
		return
	}
	e.text.Multi = true
	e.model, e.stop = humanModel, endTurn
	e.json = editor.New("")
	params := e.ask.Params
	switch {
	case e.ask.Dropped:
		e.shape, e.note = unclear, ""
		e.facts = []fact{{tone: doubtful, text: "the request is large and no longer held in memory; it is in the traffic"}}
		return
	case e.ask.Method == client.MethodSampling:
		e.shape = sampling
		e.facts, e.note, e.why = sampled(params)
	default:
		e.readElicitation(params)
	}
	if e.why != "" {
		e.shape, e.note = unclear, ""
		e.facts = []fact{{tone: doubtful, text: e.why}, {}, {tone: code, text: content.Indented(params)}}
		e.toJSON()
	}
}

func (e *entry) readElicitation(params []byte) {
	message, ok := str(params, "message")
	mode, _ := str(params, "mode")
	wanted, _ := jsonrpc.Member(params, "requestedSchema")
	switch {
	case !ok:
		e.why = "it has no message"
	case mode == "url":
		e.shape, e.note = page, "page to open"
		e.url, ok = str(params, "url")
		if !ok {
			e.why = "it has no url"
			return
		}
		e.facts = append([]fact{{label: "asks", text: message, tone: strong}, {}}, pageFacts(e.url)...)
		if id, ok := str(params, "elicitationId"); ok {
			e.facts = append(e.facts, fact{}, fact{label: "id", text: id})
		}
	case mode != "" && mode != "form":
		e.why = "its mode " + strconv.Quote(mode) + " is neither form nor url"
	case len(wanted) == 0 || wanted[0] != '{':
		e.why = "its requestedSchema is no object"
	default:
		e.shape, e.note = form, "form"
		f := schema.Parse(wanted)
		e.draft.Prefill = true
		e.draft.Take(f)
		e.facts = []fact{{text: message, tone: strong}}
		for _, text := range []string{f.Title, f.Description} {
			if text != "" {
				e.facts = append(e.facts, fact{text: text, tone: quiet})
			}
		}
		if f.Unclear != "" {
			e.facts = append(e.facts, fact{text: f.Unclear, tone: doubtful})
		}
	}
}

// result is the answer as it stands. It is nil when there is something wrong
// with it, which is then shown.
func (e *entry) result() []byte {
	if e.asJSON {
		e.said = ""
		raw := []byte(e.json.Value())
		if line, _, msg := e.json.Verify(); msg != "" {
			e.said = "line " + strconv.Itoa(line) + ": " + msg
		} else if !json.Valid(raw) {
			e.said = "there is no JSON"
		}
		if e.said != "" {
			return nil
		}
		return schemaform.Compact(raw)
	}
	if e.shape == form {
		content, fine := e.draft.Check()
		if !fine {
			return nil
		}
		return accept(content)
	}
	return e.plain()
}

// plain is the answer without a look at whether it is right.
func (e *entry) plain() []byte {
	switch {
	case e.shape == form:
		content, _ := e.draft.Values()
		return accept(content)
	case e.ask.Method == client.MethodSampling:
		text := append([]byte(`{"role":"assistant","content":{"type":"text","text":`), jsonrpc.StringID(e.text.Value())...)
		text = append(append(text, `},"model":`...), jsonrpc.StringID(e.model)...)
		return append(append(append(text, `,"stopReason":`...), jsonrpc.StringID(e.stop)...), '}')
	case e.shape == page:
		return []byte(`{"action":"accept"}`)
	}
	return accept([]byte("{}"))
}

func accept(content []byte) []byte {
	return append(append([]byte(`{"action":"accept","content":`), content...), '}')
}

func (e *entry) toJSON() {
	e.json.SetValue(string(e.plain()))
	e.json.Format()
	e.asJSON = true
}

// fromJSON goes back from the whole result to what there was before; it says
// why when that would lose something.
func (e *entry) fromJSON() (why string) {
	raw := []byte(e.json.Value())
	if e.shape == unclear {
		return "there is no form for this request; its answer is JSON"
	}
	if !json.Valid(raw) {
		return "what is no JSON fits nowhere else"
	}
	switch e.shape {
	case sampling:
		kind, _ := str(raw, "content", "type")
		text, ok := str(raw, "content", "text")
		if kind != "text" || !ok {
			return "this answer is not a text"
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
