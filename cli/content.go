package cli

import (
	"fmt"
	"strings"

	"mcptea/session/content"
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
