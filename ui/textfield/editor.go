package textfield

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/ui/paint"
)

// maximum bytes of a text that is checked: while the key waits, and in the background
const (
	maxChecked      = 64 << 10
	maxCheckedAside = 256 << 20
)

// Editor is a JSON text under a cursor. Make it with NewEditor. It is not safe for
// concurrent use.
type Editor struct {
	// Numbers paints the number of each line at its left, and the text without the
	// ground of a field. It leaves it to the caller to show the problem.
	Numbers bool

	Buffer
	checked int // the version that problem is about
	problem problem
	aside   chan checked // 1 slot: a check in the background; nil if none is running
	rows    int          // rows of text at the last painting
	gutter  int          // cells of the numbers at the last painting
}

// checked is the result of a check in the background.
type checked struct {
	version int
	problem problem
}

// A Fault is the reason why a text is not valid JSON.
type Fault uint8

// The faults.
const (
	NoFault    Fault = iota
	Incomplete       // the text ends too early
	NotUTF8
	NotJSON
)

type problem struct {
	fault     Fault
	line, col int // 1-based, or 0
	msg       string
}

// NewEditor makes an editor with a text in it.
func NewEditor(value string) *Editor {
	e := &Editor{checked: -1}
	e.Multi = true
	e.SetValue(value)
	return e
}

// SetValue replaces the text.
func (e *Editor) SetValue(s string) {
	e.Buffer.SetValue(s)
	e.SetOffset(0)
}

// SetBytes replaces the text with unchanged bytes. After that, raw determines whether the editor
// keeps every byte, and displays unprintable ones as escapes.
func (e *Editor) SetBytes(b []byte, raw bool) {
	e.Raw = raw
	e.SetValue(string(b))
}

// Format indents the text. It returns false if the text is not JSON. Numbers and strings stay as written.
func (e *Editor) Format() bool {
	text, ok := jsonrpc.Indent([]byte(strings.TrimSpace(e.Value())))
	if ok {
		e.replace(text)
	}
	return ok
}

// replace keeps the cursor at the same character, not counting blanks.
func (e *Editor) replace(s string) {
	solid := 0
	for _, c := range []byte(e.Value()[:e.Offset()]) {
		if !blank(c) {
			solid++
		}
	}
	at := 0
	for ; at < len(s) && solid > 0; at++ {
		if !blank(s[at]) {
			solid--
		}
	}
	e.Replace(0, e.Size(), s)
	e.SetOffset(at)
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// Problem returns where the text stops being JSON: 1-based line and column, the column in characters. The
// message is "" if the text is valid or empty. A large text is checked in the background; until that ends
// ([Editor.Checking]), the problem is the problem of an earlier version.
func (e *Editor) Problem() (line, col int, msg string) {
	e.collect()
	switch version := e.Version(); {
	case e.checked == version || e.aside != nil:
	case e.Size() <= maxChecked:
		e.checked, e.problem = version, check(e.Value(), e.Raw)
	default:
		text, raw, done := e.Snapshot(), e.Raw, make(chan checked, 1)
		e.aside = done
		go func() { done <- checked{version, check(text(), raw)} }()
	}
	return e.problem.line, e.problem.col, e.problem.msg
}

// Fault returns the kind of Problem.
func (e *Editor) Fault() Fault {
	e.Problem()
	return e.problem.fault
}

// Verify is like Problem, but always checks the current text, however large it is.
func (e *Editor) Verify() (line, col int, msg string) {
	e.collect()
	if version := e.Version(); e.checked != version {
		e.checked, e.problem = version, check(e.Value(), e.Raw)
	}
	return e.problem.line, e.problem.col, e.problem.msg
}

// Checking reports whether a check is running in the background. Problem uses its result.
func (e *Editor) Checking() bool { return e.aside != nil }

// collect applies the result of a background check if it is done.
func (e *Editor) collect() {
	select {
	case found := <-e.aside:
		e.aside = nil
		if found.version > e.checked {
			e.checked, e.problem = found.version, found.problem
		}
	default:
	}
}

func check(text string, raw bool) problem {
	if strings.TrimSpace(text) == "" || len(text) > maxCheckedAside {
		return problem{}
	}
	bytes := []byte(text)
	if at := jsonrpc.InvalidUTF8(bytes); raw && at >= 0 {
		return problemAt(NotUTF8, text, at, "Byte that is not UTF-8")
	}
	at, err := jsonrpc.SyntaxError(bytes)
	if err == nil {
		return problem{}
	}
	msg := err.Error()
	if quote, open := openString(text[:at]); open && (at == len(text) || strings.HasSuffix(msg, "in string literal") && text[at] < 0x20) {
		return problemAt(Incomplete, text, quote, "String not closed")
	}
	fault := NotJSON
	if at == len(text) {
		fault = Incomplete
	}
	return problemAt(fault, text, at, phrase.Capital(msg))
}

// openString finds the string that a JSON text ends in: the offset of its first
// quotation mark.
func openString(text string) (at int, open bool) {
	for i := 0; i < len(text); i++ {
		switch {
		case open && text[i] == '\\':
			i++
		case text[i] == '"':
			open = !open
			at = i
		}
	}
	return at, open
}

func problemAt(fault Fault, text string, at int, msg string) problem {
	head := text[:at]
	start := strings.LastIndexByte(head, '\n') + 1
	return problem{
		fault: fault, line: strings.Count(head, "\n") + 1,
		col: utf8.RuneCountInString(head[start:]) + 1,
		msg: msg,
	}
}

// Sentence returns the problem with its place, for the user, or "".
func (e *Editor) Sentence() string {
	line, col, msg := e.Problem()
	if msg == "" {
		return ""
	}
	where := fmt.Sprintf(" at line %d, column %d", line, col)
	if what, after, ok := strings.Cut(msg, "' "); ok {
		return what + "'" + where + " " + after // put the place before the part that may be cut
	}
	return msg + where
}

// minNumbered is the width from which lines are numbered.
const minNumbered = 40

// Rows paints the editor: exactly h rows of w cells. If the text is not JSON, the last row tells so if there is
// room.
func (e *Editor) Rows(p *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	e.rows = h
	msg := ""
	if !e.Numbers {
		msg = e.Sentence()
	}
	if msg != "" && h > 1 {
		e.rows--
	}
	ground := paint.Style{}
	if focused && !e.Numbers {
		ground = p.Field
	}
	e.gutter = 0
	if e.Numbers && w >= minNumbered {
		e.gutter = max(len(strconv.Itoa(e.LineCount())), 2) + 2
	}
	out := e.Buffer.Rows(p, ground, w-e.gutter, e.rows, jsonPainter(&js))
	if e.gutter > 0 {
		e.number(p, out)
	}
	if msg != "" && h > 1 {
		r := p.Row()
		r.Start(w, paint.Style{})
		r.Put(p.Error, p.FailMark+" ")
		r.Put(p.Error, msg)
		out = append(out, r.String())
	}
	return out
}

// number puts the numbers of the lines before painted rows. The rows of a long line
// after its first one have none.
func (e *Editor) number(p *paint.Palette, rows []string) {
	r := p.Row()
	for i := range rows {
		r.Start(e.gutter, paint.Style{})
		if n := e.RowLine(i); n > 0 {
			r.CellRight(p.Faint, strconv.Itoa(n), e.gutter-2)
		}
		rows[i] = r.String() + rows[i]
	}
}

// jsonPainter colors JSON, or text that is to become JSON.
func jsonPainter(js *paint.JSONStyles) Painter {
	var tokens []token
	return func(piece string, open bool) ([]token, bool) {
		tokens = tokens[:0]
		for at := 0; at < len(piece); {
			n, st, still := js.Token(piece[at:], open)
			at, open = at+n, still
			tokens = append(tokens, token{End: at, Style: st})
		}
		return tokens, open
	}
}

// Cursor returns the cell of the cursor in the rows painted last.
func (e *Editor) Cursor() (x, y int) {
	x, y = e.Buffer.Cursor()
	return x + e.gutter, y
}

// Click puts the cursor on a cell of the rows last painted.
func (e *Editor) Click(x, y int) {
	if y < e.rows {
		e.Buffer.Click(max(x-e.gutter, 0), y)
	}
}
