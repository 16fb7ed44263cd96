package inspector

import (
	"context"
	"errors"
	"io"
	"testing"
)

// documented is a server whose texts are Markdown.
var documented = map[string]string{
	"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"documented","version":"1"},"instructions":"# Usage\n\nCall **report** first."}`,
	"tools/list": `{"tools":[{"name":"report","description":"Makes a **report**.","inputSchema":{"type":"object"}}]}`,
	"tools/call": `{"content":[{"type":"text","text":"## Result\n\n- **first** item\n- second item"}]}`,
}

// serveResults is a server that responds with results by method, and ends when it
// has none for a request.
func serveResults(results map[string]string) func(context.Context, io.Reader, io.Writer) error {
	return func(_ context.Context, in io.Reader, out io.Writer) error {
		if method := reply(in, out, results); method != "" {
			return errors.New("no result for " + method)
		}
		return nil
	}
}

func TestMarkdown_RenderedUntilTheSourceIsChosen(t *testing.T) {
	driveServer(t, 100, 30, serveResults(documented), func(d *driver) {
		d.sees("Makes a report.")
		d.press("<enter><enter>")
		d.sees("Markdown  f3 source", "• first item")
		d.press("<f3>")
		d.sees("Makes a **report**.", "- **first** item", "Markdown source", "Markdown is shown as its source.")
		d.press("<f3>1G")
		d.sees("Call report first.")
		d.press("<f3>")
		d.sees("Call **report** first.")
	})
}
