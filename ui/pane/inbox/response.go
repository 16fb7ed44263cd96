package inbox

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/ui/app"
	"mcptea/ui/form"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// An editor is the field for a response: as a text, in a form, or as the JSON of the whole result.
type editor interface {
	app.Field
	Title() string
	// Height is the number of rows that the editor takes of a pane of h rows, and Margin the number of cells to
	// the left of them.
	Height(pal *paint.Palette, w, h int) int
	Margin() int
	Rows(c *app.Canvas, w, h int, focused bool) []string
	Cursor() (x, y int, ok bool)
	Click(x, y int)
	// Result is the whole result, right or wrong.
	Result() []byte
	// Check returns the result to send, or nil if something is wrong. why describes the problem, unless the
	// editor shows it. again is the key that sends it the second time.
	Check(again string) (result []byte, why string)
	// Fill replaces the result. It returns why that would lose something.
	Fill(result []byte) (why string)
}

// members of a sampling response, unless the user edits them
const (
	userModel = "mcptea/human"
	endTurn   = "endTurn"
)

// textEditor writes the response of a model.
type textEditor struct {
	textfield.Buffer
	model, stop string
	warned      bool // the user was warned that the text is empty
}

func newText() *textEditor {
	t := &textEditor{model: userModel, stop: endTurn}
	t.Multi = true
	return t
}

func (t *textEditor) Title() string { return "response as the model" }
func (t *textEditor) Margin() int   { return 1 }

func (t *textEditor) Height(_ *paint.Palette, _, h int) int {
	return 1 + min(max(t.LineCount()+1, 4), max(h/2, 3))
}

func (t *textEditor) Key(k tea.KeyPressMsg) bool {
	before := t.Version()
	taken := t.Buffer.Key(k)
	t.warned = t.warned && t.Version() == before
	return taken
}

func (t *textEditor) Rows(c *app.Canvas, w, h int, _ bool) []string {
	if h < 2 {
		return t.Buffer.Rows(c.Pal, c.Pal.Field, w, h, textfield.Plain(paint.Style{}))
	}
	r := c.Pal.Row()
	r.Start(w, paint.Style{})
	for _, fact := range [][2]string{{"stop reason ", t.stop}, {"   model ", t.model}} {
		r.Put(c.Pal.Muted, fact[0])
		r.Put(c.Pal.Text, fact[1])
	}
	return append(t.Buffer.Rows(c.Pal, c.Pal.Field, w, h-1, textfield.Plain(paint.Style{})), r.String())
}

func (t *textEditor) Cursor() (x, y int, ok bool) {
	x, y = t.Buffer.Cursor()
	return x, y, true
}

func (t *textEditor) Result() []byte {
	text := append([]byte(`{"role":"assistant","content":{"type":"text","text":`), jsonrpc.Quote(t.Value())...)
	text = append(append(text, `},"model":`...), jsonrpc.Quote(t.model)...)
	return append(append(append(text, `,"stopReason":`...), jsonrpc.Quote(t.stop)...), '}')
}

func (t *textEditor) Check(again string) ([]byte, string) {
	if !t.warned && strings.TrimSpace(t.Value()) == "" {
		t.warned = true
		return nil, "The response is empty. " + again + " again sends it."
	}
	return t.Result(), ""
}

func (t *textEditor) Fill(result []byte) string {
	kind, _ := str(result, "content", "type")
	text, ok := str(result, "content", "text")
	if kind != "text" || !ok {
		return "The content is not text: it can only be edited as JSON."
	}
	t.SetValue(text)
	t.model, _ = str(result, "model")
	t.stop, _ = str(result, "stopReason")
	return ""
}

// formEditor writes the content of an elicitation.
type formEditor struct{ form.Form }

func (f *formEditor) Title() string { return "response" }
func (f *formEditor) Margin() int   { return 0 }

func (f *formEditor) Height(pal *paint.Palette, w, _ int) int { return max(f.Form.Height(pal, w), 1) }

func (f *formEditor) Rows(c *app.Canvas, w, h int, focused bool) []string {
	return f.Form.Rows(c.Pal, w, h, focused)
}

func (f *formEditor) Result() []byte {
	content, _ := f.Values()
	return accept(content)
}

func (f *formEditor) Check(string) ([]byte, string) {
	content, valid := f.Form.Check()
	if !valid {
		return nil, ""
	}
	return accept(content), ""
}

func (f *formEditor) Fill(result []byte) string {
	content, ok := jsonrpc.Member(result, "content")
	if !ok {
		content = []byte("{}")
	}
	return f.Form.Fill(content)
}

func accept(content []byte) []byte {
	return append(append([]byte(`{"action":"accept","content":`), content...), '}')
}

// jsonEditor writes the whole result.
type jsonEditor struct {
	*textfield.Editor
	form   *formEditor // form that the content must fit, or nil
	warned []byte      // the JSON that does not fit; sending it again sends it
}

func (j *jsonEditor) Title() string { return "response: the whole result as JSON" }
func (j *jsonEditor) Margin() int   { return 1 }

func (j *jsonEditor) Height(_ *paint.Palette, _, h int) int {
	return min(max(j.LineCount()+1, 4), max(h*3/5, 4))
}

func (j *jsonEditor) Rows(c *app.Canvas, w, h int, focused bool) []string {
	return j.Editor.Rows(c.Pal, c.JS, w, h, focused)
}

func (j *jsonEditor) Cursor() (x, y int, ok bool) {
	x, y = j.Editor.Cursor()
	return x, y, true
}

func (j *jsonEditor) Result() []byte { return []byte(j.Value()) }

func (j *jsonEditor) Check(again string) ([]byte, string) {
	raw := j.Result()
	if line, _, msg := j.Verify(); msg != "" {
		return nil, "Line " + strconv.Itoa(line) + ": " + msg
	}
	if !json.Valid(raw) {
		return nil, "The JSON is not valid."
	}
	raw = jsonrpc.Compact(raw)
	if why := j.unfit(raw); why != "" && !bytes.Equal(raw, j.warned) {
		j.warned = raw
		return nil, why + " " + again + " again sends it."
	}
	j.warned = nil
	return raw, ""
}

// unfit returns the part of the content that does not fit the form, or "".
func (j *jsonEditor) unfit(result []byte) string {
	content, ok := jsonrpc.Member(result, "content")
	if action, _ := str(result, "action"); !ok || j.form == nil || action != "accept" {
		return ""
	}
	for _, m := range j.form.Whole(content) {
		return strings.TrimSpace("content"+m.About+" "+m.Reason) + "."
	}
	return ""
}

func (j *jsonEditor) Fill(result []byte) string {
	j.SetValue(string(result))
	j.Format()
	return ""
}

// str returns a string member of an object.
func str(object []byte, name string, more ...string) (string, bool) {
	v, ok := jsonrpc.Member(object, name, more...)
	if !ok {
		return "", false
	}
	return jsonrpc.Unquote(v)
}
