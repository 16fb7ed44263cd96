package result

import (
	"errors"
	"strings"

	"mcptea/client"
	"mcptea/internal/words/phrase"
	"mcptea/offer/content"
	"mcptea/session/requests"
	"mcptea/session/session"
	"mcptea/ui/paint"
)

// highlightable is the size up to which text is colored. Beyond it, colors help little and the lexers take
// long.
const highlightable = 256 << 10

// blocks makes the blocks of a result ready to be painted.
func blocks(list []content.Part) []block {
	made := make([]block, 0, len(list))
	for _, p := range list {
		switch p := p.(type) {
		case content.Heading:
			made = append(made, heading{role: roles[p.Role], name: p.Name, facts: factTexts(p.Facts)})
		case content.Note:
			made = append(made, note{what: p.Text})
		case content.Text:
			made = append(made, textParts(p)...)
		case content.JSON:
			made = append(made, jsonParts(p.Raw)...)
		case content.Picture:
			if img := newImage(p.Data); img != nil {
				made = append(made, img)
			}
		case content.Gap:
			made = append(made, gap{})
		}
	}
	return made
}

var roles = map[content.Role]role{
	content.OfContent: plain, content.OfAssistant: good, content.OfToolError: doubtful, content.OfFault: bad,
}

func factTexts(facts []content.Fact) []string {
	texts := make([]string, len(facts))
	for i, f := range facts {
		if texts[i] = f.Text; f.Size != 0 {
			texts[i] = phrase.Size(f.Size.Bytes())
		}
	}
	return texts
}

// textParts shows a text: JSON as tables, Markdown rendered.
func textParts(t content.Text) []block {
	if t.JSON != nil {
		return jsonParts(t.JSON)
	}
	if !t.Failed {
		if rendered := newMarkdown(t); rendered != nil {
			return rendered
		}
	}
	return []block{shownText(t)}
}

// shownText chooses how a text is shown: by its media type, otherwise by its content.
func shownText(t content.Text) block {
	if t.JSON != nil {
		return newJSON(t.JSON)
	}
	if lines := t.Lines(); lines != nil {
		return &longText{laidOut: laidOut{layout: lines, group: -1}, text: t}
	}
	s := t.String()
	switch {
	case t.Failed:
		made := newText(s)
		made.error = true
		return made
	case t.MIME != "" && len(s) <= highlightable && !strings.HasPrefix(t.MIME, "text/plain"):
		return newCode(t.MIME, s)
	case s == "":
		return note{what: "empty"}
	}
	return newText(s)
}

// jsonParts shows JSON, arrays of objects as tables.
func jsonParts(raw []byte) []block {
	found, ok := content.TablesOf(raw)
	if !ok {
		return []block{newJSON(raw)}
	}
	var made []block
	if found.Rest != nil {
		made = append(made, newJSON(found.Rest), gap{})
	}
	for i, t := range found.Tables {
		if i > 0 {
			made = append(made, gap{})
		}
		facts := []string{phrase.Count(len(t.Rows), "row")}
		made = append(made, heading{name: t.Name, facts: facts}, newTable(t))
	}
	return made
}

// protocolError shows an error that the server answered with.
func protocolError(err error) []block {
	var e *client.RPCError
	if !errors.As(err, &e) {
		return failure(err)
	}
	blocks := []block{
		heading{role: bad, name: e.Code.Phrase(), facts: []string{"JSON-RPC error"}},
		newText(e.Message),
	}
	if e.Data != nil {
		blocks = append(blocks, gap{}, heading{name: "data"}, newJSON(e.Data))
	}
	return blocks
}

// An Explained is an error with the known cause. If there is a response, the cause is shown below it.
type Explained struct {
	Err                  error
	Sentence, Cause, Try string // the observation, its cause, and the advice; each is empty if unknown
	Near                 string // the received bytes around the wrong one, as text; empty for other errors
	Call                 string // whether the server may have carried out the call; empty if unknown
}

// Error returns the text of the error itself.
func (e *Explained) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e *Explained) Unwrap() error { return e.Err }

// blocks returns the sentence, the cause and the advice.
func (e *Explained) blocks() []block {
	made := []block{newText(e.Sentence)}
	if e.Near != "" {
		made = append(made, newText(e.Near))
	}
	made = append(made, e.reasons()...)
	if errors.As(e.Err, new(*client.TimeoutError)) {
		made = append(made, note{what: "mcptea has cancelled the request. A response that still arrives is in Traffic."})
	}
	return made
}

// evidence returns the sentence, if there is one.
func (e *Explained) evidence() (made []block) {
	if e.Sentence != "" {
		made = append(made, newText(e.Sentence))
	}
	return made
}

// reasons returns the cause and the advice.
func (e *Explained) reasons() (made []block) {
	if e.Cause != "" {
		made = append(made, newText(e.Cause))
	}
	if e.Try != "" {
		made = append(made, newText(phrase.Signs("→ ")+e.Try))
	}
	if e.Call != "" {
		made = append(made, newText(e.Call))
	}
	return made
}

// failure shows why there is no answer.
func failure(err error) []block {
	var timeout *client.TimeoutError
	if explained, ok := errors.AsType[*Explained](err); ok {
		return explained.blocks()
	}
	what := ""
	switch {
	case errors.Is(err, client.ErrTaskCancelled):
		what = "The task was cancelled: it has no result."
	case errors.Is(err, requests.ErrRunning):
		what = "The task was not cancelled and continues: see Tasks."
	case errors.Is(err, session.ErrCancelled):
		what = "The server was notified. A response that still arrives is in Traffic."
	case errors.As(err, &timeout):
		return []block{
			note{what: "No response within " + phrase.Took(timeout.After) + ". mcptea has cancelled the request. A response that still arrives is in Traffic."},
		}
	default:
		return []block{newText(err.Error())}
	}
	by := paint.If(errors.Is(err, session.ErrCancelled), "by you", "by the server")
	return []block{heading{role: doubtful, name: "cancelled", facts: []string{by}}, note{what: what}}
}
