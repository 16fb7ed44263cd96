package target

import (
	"fmt"
	"strings"

	"mcptea/cli/app"
	"mcptea/session/content"
)

// PrintResult prints a result as text: to stdout, or to stderr if it is a tool error,
// which it reports. The screen keeps the error of a failed write.
func (p *Connection) PrintResult(method string, result []byte) (toolFailed bool) {
	out := p.Out
	if toolFailed = method == "tools/call" && content.ToolFailed(result); toolFailed {
		out = p.Err
		fmt.Fprintf(p.Err, "%s tool error (isError):\n", p.Err.Bad("mcptea:"))
	}
	for _, part := range content.Parse(method, result) {
		if n, ok := part.(content.Note); ok && n.Trusted {
			fmt.Fprintln(p.Err, p.Err.Faint(n.Text))
			continue
		}
		if text := out.Part(part); text != "" {
			printText(out, text)
		}
	}
	return toolFailed
}

func printText(out *app.Screen, text string) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, _ = out.Write([]byte(text))
}
