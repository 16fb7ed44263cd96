package inspector

import (
	"encoding/json"
	"testing"

	"mcptea/demo"
)

// The tools as the hosts hand them to a model: v in the list, v again for the next host.
func TestModelView_OfTheTools(t *testing.T) {
	for _, size := range sizesOf(screenSizes) {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			d.press("2v")
			d.sees("Tools as a model sees them: claude", "through Claude API: ~", "add ", "v next host")
			copied := ""
			d.within(func() { d.model.options.Clipboard = func(text string) error { copied = text; return nil } })
			d.press("y")
			d.sees("Copied definitions")
			var definitions []struct {
				Name   string
				Schema json.RawMessage `json:"input_schema"`
			}
			if err := json.Unmarshal([]byte(copied), &definitions); err != nil || len(definitions) == 0 || definitions[0].Schema == nil {
				t.Errorf("%v: %s", err, copied)
			}
			d.press("v")
			d.sees("claude-code", "mcp__mcptea-demo__add")
			d.press("<left>")
			d.sees("sees them: claude ")
			d.press("vvv<space>G")
			d.sees("sees them: gemini ", `"parameters":{`)
			d.press("<space><esc>")
			d.lacks("as a model sees")
		})
	}
}

// One bad tool is the first thing that is seen, before many others; text of the server
// cannot change the screen.
func TestModelView_BadTool(t *testing.T) {
	server := scripted(map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bad","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"good","description":"Is as it should be.","inputSchema":{"type":"object"}},{"name":"evil\u001b[2J.x","inputSchema":{"type":"object","anyOf":[]}}]}`,
	})
	driveServer(t, 80, 24, server, func(d *driver) {
		d.press("2<ctrl+p>as a model<enter>")
		d.sees("The whole request would be refused by Claude API: 2 of 2 tools", "root of a schema has oneOf", "/anyOf", "known    documented, 2026-09: error text of the API")
		d.press("v")
		d.sees("A model gets 1 of 2 tools through Claude Code", "of its schema is left out", "without a message")
	})
}

// What has no tools says so.
func TestModelView_NoTools(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		d.press("3v")
		d.sees("There are no tools to hand to a model here.")
	})
}
