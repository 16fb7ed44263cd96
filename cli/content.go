package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"mcptea/session/content"
	"mcptea/ui/paint"
)

// printResult prints a result as text: to stdout, or to stderr if it is a tool error,
// which it reports. The screen keeps the error of a failed write.
func (p *connection) printResult(method string, result []byte) (toolFailed bool) {
	out := p.out
	if toolFailed = method == "tools/call" && content.ToolFailed(result); toolFailed {
		out = p.err
		fmt.Fprintf(p.err, "%s tool error (isError):\n", p.err.bad("mcptea:"))
	}
	for _, part := range content.Parse(method, result) {
		if n, ok := part.(content.Note); ok && n.Trusted {
			fmt.Fprintln(p.err, p.err.faint(n.Text))
			continue
		}
		if text := out.part(part); text != "" {
			printText(out, text)
		}
	}
	return toolFailed
}

func printText(out *screen, text string) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, _ = out.Write([]byte(text))
}

// part returns a part of a result as text: text in full, binary data as a line with
// type and size.
func (s *screen) part(part content.Part) string {
	switch part := part.(type) {
	case content.Heading:
		if part.Plain || part.Role == content.OfToolError {
			return ""
		}
		return s.heading(part)
	case content.Note:
		return s.untrusted(part.Text)
	case content.Text:
		if part.Text == "" {
			return "\n"
		}
		return s.untrusted(part.Text)
	case content.JSON:
		return s.untrusted(indented(part.Raw))
	}
	return "" // images and gaps
}

// heading returns a heading in one line.
func (s *screen) heading(h content.Heading) string {
	line := s.faint("[" + paint.Sanitize(h.Name) + "]")
	for _, f := range h.Facts {
		text := f.Text
		if f.Size != 0 {
			text = paint.HumanSize(f.Size.Bytes())
		}
		if text != "" {
			line += "  " + paint.Sanitize(text)
		}
	}
	return line
}

// indented returns JSON with one member per line and unchanged tokens.
func indented(raw json.RawMessage) string { return content.Indented(raw) }
