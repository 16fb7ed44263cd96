package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
)

// Row is a line of a view of two values.
type Row struct {
	Kind Kind
	// Old and New are the indented lines of both sides, with the values as sent. They come from the peer and
	// must be sanitized. For Same they are equal. For Changed both are set.
	Old, New string
	// Skipped is the number of equal members or elements that the row replaces. Old and New are then "".
	Skipped int
}

const (
	nearRows = 2     // equal children that are shown next to one that differs
	maxRows  = 20000 // rows of a view
	maxLine  = 2000  // bytes of a line
	// maxIdentity is the maximum length of a name shown for an object, in bytes.
	maxIdentity = 60
	indent      = "  "
)

// Rows returns the rows of a side-by-side view: differences, the containers around them, and a few equal values
// next to them. It returns no rows if the values are equal. Long lines and very many rows are cut. The error is
// [ErrNotJSON].
func Rows(old, now []byte, o Options) ([]Row, error) {
	rows, _, err := CountedRows(old, now, o)
	return rows, err
}

// CountedRows is like [Rows], but also returns the number of differences.
func CountedRows(old, now []byte, o Options) (rows []Row, differences int, err error) {
	v := &reporter{isBrief: true}
	if err := compare(old, now, o, v); err != nil {
		return nil, 0, err
	}
	for _, l := range v.report.Lines {
		rows = append(rows, l.Row)
	}
	return rows, v.report.More, nil
}

// Unified returns the lines of a unified view: each line of [Changed] becomes one of
// [Removed] and one of [Added].
func Unified(lines []Line) (out []Line) {
	for i := 0; i < len(lines); {
		from := i
		for i < len(lines) && lines[i].Kind == Changed {
			i++
		}
		for k := range lines[from:i] {
			l := lines[from+k]
			l.Kind, l.New, l.NewNumber, l.Change = Removed, "", 0, &lines[from+k].Row
			out = append(out, l)
		}
		for k := range lines[from:i] {
			l := lines[from+k]
			l.Kind, l.Old, l.OldNumber, l.Change = Added, "", 0, &lines[from+k].Row
			out = append(out, l)
		}
		if i == from {
			out = append(out, lines[i])
			i++
		}
	}
	return out
}

// lead returns the text before a value in its line.
func lead(at *place) string {
	if len(at.names) == 0 {
		return ""
	}
	return leadNamed(at, at.names[len(at.names)-1])
}

// leadNamed is like lead, but gives the member another name.
func leadNamed(at *place, name string) string {
	depth := len(at.parts)
	text := strings.Repeat(indent, depth)
	if !strings.HasPrefix(name, "[") || at.parts[depth-1] == name {
		quoted, _ := json.Marshal(name)
		return text + string(quoted) + ": "
	}
	return text
}

func isScalar(value []byte) bool { return value[0] != '{' && value[0] != '[' }

// brief returns a value as one short line.
func brief(value []byte) string {
	switch value[0] {
	case '{', '[':
		n := jsonrpc.Count(value)
		if n == 0 {
			return string(value[:1]) + string(value[len(value)-1:])
		}
		if len(value) <= 60 && bytes.IndexByte(value, '\n') < 0 {
			return string(value)
		}
		what := "member"
		if value[0] == '[' {
			what = "element"
		}
		if n > 1 {
			what += "s"
		}
		if value[0] == '{' {
			for _, key := range identities {
				if id := identityOf(value, key); id != "" && n > 1 && len(id) <= maxIdentity {
					return fmt.Sprintf("{%q: %s, … %d members}", key, jsonrpc.Quote(id), n)
				}
			}
		}
		return fmt.Sprintf("%c… %d %s%c", value[0], n, what, value[0]+2)
	}
	return cutLine(string(value))
}

// lines returns the lines of an indented value.
func lines(before string, value []byte) []string {
	margin := before[:len(before)-len(strings.TrimLeft(before, " "))]
	if isScalar(value) {
		return []string{before + cutLine(string(value))}
	}
	if limit := 4 << 20; len(value) > limit { // too many lines to read
		return []string{before + brief(value)}
	}
	l, ok := jsonrpc.NewLayout(value)
	if !ok {
		return []string{cutLine(before + string(value))}
	}
	var all []string
	for n := 0; len(all) < min(l.Lines(), maxRows); n++ {
		all = append(all, l.Group(n)...)
	}
	all = all[:min(len(all), maxRows)]
	for i, line := range all {
		all[i] = cutLine(margin + line)
	}
	all[0] = cutLine(before + l.Group(0)[0])
	if rest := l.Lines() - len(all); rest > 0 {
		all = append(all, fmt.Sprintf("%s… %d more lines", margin, rest))
	}
	return all
}

func cutLine(line string) string {
	if len(line) <= maxLine {
		return line
	}
	end := maxLine
	for end > 0 && !utf8.RuneStart(line[end]) {
		end--
	}
	return fmt.Sprintf("%s… %d more bytes", line[:end], len(line)-end)
}

// around cuts two long scalars to the text around their first difference.
func around(old, now []byte) (string, string) {
	if len(old) <= maxLine && len(now) <= maxLine {
		return string(old), string(now)
	}
	same := 0
	for same < len(old) && same < len(now) && old[same] == now[same] {
		same++
	}
	from := max(same-maxLine/8, 0)
	for from > 0 && !utf8.RuneStart(old[from]) {
		from--
	}
	cut := func(value []byte) string {
		before := ""
		if from > 0 {
			before = fmt.Sprintf("… %d bytes …", from)
		}
		return before + cutLine(string(value[min(from, len(value)):]))
	}
	return cut(old), cut(now)
}

// Lines returns the rows of a whole value, which are all [Same]; nil if it is not valid
// JSON.
func Lines(value []byte) []Row {
	value = bytes.Trim(value, jsonrpc.Whitespace)
	if !jsonrpc.Valid(value) {
		return nil
	}
	var rows []Row
	for _, line := range lines("", value) {
		rows = append(rows, Row{Old: line, New: line})
	}
	return rows
}

// A place is the position of a value.
type place struct {
	parts []string // parts of a JSON Pointer, unescaped
	names []string // display form: a member's name, or [identity]
	was   string   // former name of a renamed member, or ""
}

// before returns the pointer of a renamed member in the old value.
func (p *place) before() string {
	return jsonrpc.JoinPointer(append(slices.Clone(p.parts[:len(p.parts)-1]), p.was))
}

func (p *place) down(c *child, array bool, identity string) {
	part, name := c.name, c.name
	if array {
		part = strconv.Itoa(c.index)
		if name = "[" + part + "]"; identity != "" {
			name = "[" + identity + "]"
		}
	}
	p.parts, p.names = append(p.parts, part), append(p.names, name)
}

func (p *place) up() { p.parts, p.names = p.parts[:len(p.parts)-1], p.names[:len(p.names)-1] }

func (p *place) pointer() string { return jsonrpc.JoinPointer(p.parts) }

// String returns the place for display.
func (p *place) String() string {
	var b strings.Builder
	for i, name := range p.names {
		switch {
		case strings.HasPrefix(name, "["):
		case !isPlainName(name):
			name = "[" + strconv.Quote(name) + "]"
		case i > 0:
			b.WriteByte('.')
		}
		b.WriteString(name)
	}
	return b.String()
}

func isPlainName(name string) bool {
	for i := range len(name) {
		ch := name[i]
		if !(ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch == '_' || ch == '$' || i > 0 && (ch >= '0' && ch <= '9' || ch == '-')) {
			return false
		}
	}
	return name != ""
}
