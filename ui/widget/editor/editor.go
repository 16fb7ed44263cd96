package editor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/paint"
	"mcptea/ui/widget/edit"
)

// The sizes in bytes up to which a text is checked: while the key waits, and in
// the background.
const (
	maxChecked      = 64 << 10
	maxCheckedAside = 256 << 20
)

// Editor is a JSON text under a cursor. Make it with New. It is not safe for
// concurrent use.
type Editor struct {
	buf     edit.Buffer
	checked int // the version that problem is about
	problem problem
	aside   chan checked // 1 slot: a check in the background; nil when none runs
	rows    int          // rows of text at the last painting
}

// checked is what a check in the background has found.
type checked struct {
	version int
	problem problem
}

type problem struct {
	line, col int // from 1; 0 when there is none
	msg       string
}

// New makes an editor with a text in it.
func New(value string) *Editor {
	e := &Editor{checked: -1}
	e.buf.Multi = true
	e.SetValue(value)
	return e
}

// Value gives the text as it is, valid or not.
func (e *Editor) Value() string { return e.buf.Value() }

// SetValue replaces the text.
func (e *Editor) SetValue(s string) {
	e.buf.SetValue(s)
	e.buf.SetPosition(0, 0)
}

// Buffer gives access to the text and its cursor.
func (e *Editor) Buffer() *edit.Buffer { return &e.buf }

// Lines is the number of lines, for a layout that grows with the text.
func (e *Editor) Lines() int { return e.buf.LineCount() }

// Key edits; false when the key meant nothing here. "alt+f" is format.
func (e *Editor) Key(k tea.KeyPressMsg) bool {
	if k.String() == "alt+f" {
		e.Format()
		return true
	}
	return e.buf.Key(k)
}

// Paste inserts text at the cursor.
func (e *Editor) Paste(s string) { e.buf.Insert(s) }

// Format indents the text; false when it is not JSON. Numbers and strings stay
// as they were written.
func (e *Editor) Format() bool {
	var b bytes.Buffer
	if json.Indent(&b, []byte(strings.TrimSpace(e.Value())), "", "  ") != nil {
		return false
	}
	e.replace(b.String())
	return true
}

// Compact puts the text on one line; false when it is not JSON.
func (e *Editor) Compact() bool {
	var b bytes.Buffer
	if json.Compact(&b, []byte(e.Value())) != nil {
		return false
	}
	e.replace(b.String())
	return true
}

// replace keeps the cursor at the same character, not counting blanks.
func (e *Editor) replace(s string) {
	row, col := e.buf.Position()
	solid := 0
	for i := range row {
		solid += countSolid(e.buf.Line(i))
	}
	solid += countSolid(e.buf.Line(row)[:col])
	e.buf.SetValue(s)
	for i := range e.buf.LineCount() {
		line := e.buf.Line(i)
		if n := countSolid(line); n < solid {
			solid -= n
			continue
		}
		for at := range len(line) + 1 {
			if countSolid(line[:at]) == solid {
				e.buf.SetPosition(i, at)
				return
			}
		}
	}
}

func countSolid(s string) int {
	n := 0
	for i := range len(s) {
		if c := s[i]; c != ' ' && c != '\t' {
			n++
		}
	}
	return n
}

// Problem tells where the text stops being JSON: line and column from 1, the
// column in characters. The message is "" when all is well, or when there is
// no text at all. A large text is checked in the background; until that is done
// ([Editor.Checking]) the problem is that of an earlier version.
func (e *Editor) Problem() (line, col int, msg string) {
	e.collect()
	switch version := e.buf.Version(); {
	case e.checked == version || e.aside != nil:
	case e.buf.Size() <= maxChecked:
		e.checked, e.problem = version, check(e.Value())
	default:
		text, done := e.buf.Snapshot(), make(chan checked, 1)
		e.aside = done
		go func() { done <- checked{version, check(text())} }()
	}
	return e.problem.line, e.problem.col, e.problem.msg
}

// Verify is Problem for the text as it is now, however large it is.
func (e *Editor) Verify() (line, col int, msg string) {
	e.collect()
	if version := e.buf.Version(); e.checked != version {
		e.checked, e.problem = version, check(e.Value())
	}
	return e.problem.line, e.problem.col, e.problem.msg
}

// Checking tells whether a check runs in the background. Problem takes what it
// finds.
func (e *Editor) Checking() bool { return e.aside != nil }

// collect takes what a check in the background has found, when it is done.
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

func check(text string) problem {
	if strings.TrimSpace(text) == "" || len(text) > maxCheckedAside {
		return problem{}
	}
	var raw json.RawMessage
	err := json.Unmarshal([]byte(text), &raw)
	var se *json.SyntaxError
	if err == nil || !errors.As(err, &se) {
		return problem{}
	}
	// The offset counts the byte that was wrong; at the end there is none.
	at := min(max(int(se.Offset)-1, 0), len(text))
	msg := se.Error()
	if strings.HasPrefix(msg, "unexpected end") {
		at, msg = len(text), "the JSON ends too early"
	}
	head := text[:at]
	start := strings.LastIndexByte(head, '\n') + 1
	return problem{
		line: strings.Count(head, "\n") + 1,
		col:  utf8.RuneCountInString(head[start:]) + 1,
		msg:  msg,
	}
}

// Rows paints the editor: exactly h rows of w cells. When the text is not JSON
// the last row says so, if there is room for it.
func (e *Editor) Rows(p *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	e.rows = h
	line, col, msg := e.Problem()
	if msg != "" && h > 1 {
		e.rows--
	}
	ground := paint.Style{}
	if focused {
		ground = p.Field
	}
	out := e.buf.Rows(p, ground, w, e.rows, func(r *paint.Row, line string) { js.Put(r, []byte(line)) })
	if msg != "" && h > 1 {
		r := p.Row()
		r.Start(w, paint.Style{})
		r.Put(p.Error, p.FailMark+" ")
		r.Put(p.Muted, fmt.Sprintf("%d:%d ", line, col))
		r.Foreign(p.Error, msg)
		out = append(out, r.String())
	}
	return out
}

// Cursor is the cell of the cursor in the rows last painted.
func (e *Editor) Cursor() (x, y int) { return e.buf.Cursor() }

// Click puts the cursor on a cell of the rows last painted.
func (e *Editor) Click(x, y int) {
	if y < e.rows {
		e.buf.Click(x, y)
	}
}
