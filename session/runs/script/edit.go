package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
)

// edit changes the text of a script in places, and keeps all other bytes.
type edit struct{ source []byte }

// lines returns the number of lines before the files.
func (s *Script) lines() int { return bytes.Count(s.archive.Comment, []byte("\n")) }

// line returns the range of a line, from 1, without its end.
func (e *edit) line(n int) (from, to int) {
	for ; n > 1; n-- {
		from += bytes.IndexByte(e.source[from:], '\n') + 1
	}
	to = len(e.source)
	if i := bytes.IndexByte(e.source[from:], '\n'); i >= 0 {
		to = from + i
	}
	if to > from && e.source[to-1] == '\r' {
		to--
	}
	return from, to
}

func (e *edit) replace(from, to int, text string) {
	e.source = append(append(bytes.Clone(e.source[:from]), text...), e.source[to:]...)
}

func (e *edit) setLine(n int, text string) {
	from, to := e.line(n)
	e.replace(from, to, text)
}

// negate writes the "!" before a command, or takes it away.
func (e *edit) negate(n int, on bool) {
	from, to := e.line(n)
	text := strings.TrimSpace(string(e.source[from:to]))
	text = strings.TrimSpace(strings.TrimPrefix(text, "!"))
	if on {
		text = "! " + text
	}
	e.replace(from, to, text)
}

// removeLines removes lines, both inclusive.
func (e *edit) removeLines(from, to int) {
	begin, _ := e.line(from)
	_, end := e.line(to)
	if i := bytes.IndexByte(e.source[end:], '\n'); i >= 0 {
		end += i + 1
	}
	e.replace(begin, end, "")
}

// file returns the range of a file: its marker starts at from, and its data at data. If name is "", it returns
// the first file. If there is no file, from and to are the end of the source.
func (e *edit) file(name string) (from, data, to int, ok bool) {
	from, at := len(e.source), 0
	for line := range bytes.Lines(e.source) {
		if found, isMarker := marker(line); isMarker && ok {
			return from, data, at, true
		} else if isMarker && (found == name || name == "") {
			from, data, ok = at, at+len(line), true
		}
		at += len(line)
	}
	return from, data, at, ok
}

// marker reads the line before a file, as package txtar does.
func marker(line []byte) (name string, ok bool) {
	text := strings.TrimRight(string(line), "\r\n")
	inner, begins := strings.CutPrefix(text, "-- ")
	inner, ends := strings.CutSuffix(inner, " --")
	name = strings.TrimSpace(inner)
	return name, begins && ends && name != ""
}

func (e *edit) setFile(name string, data []byte) {
	if _, from, to, ok := e.file(name); ok {
		e.replace(from, to, string(data))
	}
}

func (e *edit) removeFile(name string) {
	if from, _, to, ok := e.file(name); ok {
		e.replace(from, to, "")
	}
}

// Rename returns the text of a script after a tool or prompt was renamed. Exchanges of the method
// that named it name the new one instead, with the new names of renamed arguments. Rename also
// returns the number of these exchanges. A line in another form than that of [Append] stays. A name
// that cannot be a word, such as one of two lines, is written as JSON.
func (s *Script) Rename(method, old, now string, properties map[string]string) (text []byte, n int) {
	e := edit{source: s.source}
	for _, x := range s.Exchanges() {
		if m, subject := x.Call(); m != method || subject != old {
			continue
		}
		from, to := e.line(x.Line)
		line := WithProperties(string(e.source[from:to]), properties)
		before, after, ok := strings.Cut(line, " "+Word(old))
		if ok && (after == "" || after[0] == ' ') {
			line, ok = before+" "+Word(now)+after, true
			if !IsWord(now) {
				line, ok = asSend(before, method, now, after)
			}
		}
		if ok {
			e.replace(from, to, line)
			n++
		}
	}
	return e.source, n
}

// asSend returns a line that calls a tool or prompt by its name in JSON. before is the line until
// the command, after what follows the old name; ok is false if that is more than an object of
// arguments.
func asSend(before, method, name, after string) (line string, ok bool) {
	quoted, _ := JSON([]byte(jsonrpc.Quote(name)))
	params := `{"name":` + quoted
	if after = strings.TrimSpace(after); after != "" {
		if after[0] != '{' || !json.Valid([]byte(after)) {
			return "", false
		}
		params += `,"arguments":` + after
	}
	indent := before[:strings.LastIndexByte(before, ' ')+1] // including the sign that negates the command
	return indent + "send " + Word(method) + " " + params + "}", true
}

// indented returns JSON in the form of a file of a script.
func indented(value []byte) []byte {
	return []byte(WithoutVariables(jsonrpc.Indented(value) + "\n"))
}

// withoutSecrets replaces strings with secrets by a placeholder; redacted reports that
// there was one.
func withoutSecrets(value []byte) (out []byte, redacted bool) {
	text := string(secret.JSON(value, nil, nil))
	if !secret.IsRedacted(text) {
		return value, false
	}
	return []byte(WithoutSecrets(text)), true
}

// maxInline is the length of a result in the line of its expectation, in bytes.
const maxInline = 60

// Append returns the text of a script, which may be empty, with a section of a request
// and its outcome. name must be unused. Secrets become the variable env.SECRET in the
// request, and any string in the outcome.
func Append(source []byte, name, method string, params []byte, response client.Response) ([]byte, error) {
	archive := txtar.Parse(source)
	known := map[string]bool{}
	for _, f := range archive.Files {
		known[f.Name] = true
	}
	outcome := takenOutcome(method, response)
	line, _ := RequestLine(method, secret.JSON(params, nil, nil))
	if outcome.isError || outcome.tool {
		line = "! " + line
	}
	value, redacted := withoutSecrets(outcome.value)
	expectation := "expect --exact "
	if _, has := jsonrpc.Member(value, "_meta"); has {
		expectation += "--ignore /_meta " // _meta belongs to the server and the request, not to the result
	}
	if redacted {
		expectation = "expect "
	}
	var file []byte
	inline, _ := JSON(value)
	if len(value) > maxInline || strings.Contains(inline, `"<`) {
		base := fileName(name)
		inline = base + ".json"
		for n := 2; known[inline]; n++ {
			inline = fmt.Sprintf("%s-%d.json", base, n)
		}
		file = fmt.Appendf(nil, "-- %s --\n%s", inline, indented(value))
		inline = "@" + inline
	}
	section := fmt.Sprintf("# %s\n%s\n%s%s\n", oneLine(name), line, expectation, inline)
	at, _, _, _ := (&edit{source: source}).file("") // start of the files
	before := bytes.TrimRight(source[:at], "\r\n")
	out := bytes.Clone(before)
	if len(before) > 0 {
		out = append(out, "\n\n"...)
	}
	out = append(out, section...)
	rest := source[at:]
	if len(rest) > 0 && rest[len(rest)-1] != '\n' {
		rest = append(bytes.Clone(rest), '\n')
	}
	if len(rest) > 0 || file != nil {
		out = append(out, '\n')
	}
	out = append(append(out, rest...), file...)
	_, err := Parse(name, out)
	return out, err
}

// fileName makes a file name from the name of a section.
func fileName(name string) string {
	text := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '-'
	}, name), "-")
	if text == "" {
		return "result"
	}
	return text[:min(len(text), 40)]
}
