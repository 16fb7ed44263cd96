package inspector

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/internal/test/raced"
)

// reducible returns the path of a recording with a fault of the server, and with texts of its user.
func reducible(t *testing.T, list string) string {
	t.Helper()
	text := `{"mcptea":2,"t":1780000000000000000,"tool":"test","transport":"stdio","target":"node acme.js"}` + "\n"
	for i, frame := range []string{
		`>{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"Ed","version":"1"}}}`,
		`<{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"acme","version":"4"}}}`,
		`>{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`>{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pay","arguments":{"to":"Jane Miller"}}}`,
		`<{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"paid to Jane Miller"}]}}`,
		`>{"jsonrpc":"2.0","id":3,"method":"tools/list"}`,
		`<{"jsonrpc":"2.0","id":3,"result":{"tools":[` + list + `]}}`,
	} {
		kind := map[byte]string{'>': "out", '<': "in"}[frame[0]]
		text += recordedLine(i+1, kind, frame[1:])
	}
	path := filepath.Join(t.TempDir(), "bug.mcptea.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// w in Problems keeps the selected finding: the window shows what is left before anything is written.
func TestReduce_FindingUnderTheCursor(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	path := reducible(t, `{"name":"acme_payroll","description":"Pays the staff","inputSchema":{"type":"array"}}`)
	for _, size := range sizesOf(screenSizes) {
		driveRecording(t, size[0], size[1], path, func(d *driver) {
			d.press("8<down>w")
			d.sees("Reduce to a finding", "T015 input-schema-root", "2 of 7 left", "none of the session is left", `"inputSchema":{"type":"array"}`, "bug-T015.md", "enter write")
			d.lacks("acme_payroll")
			file := filepath.Join(d.t.TempDir(), "issue.md")
			d.press("<ctrl+u>" + file + "<enter>")
			d.sees("Wrote", "issue.md")
			text, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(text), "mcptea lint bug.frames") || strings.Contains(string(text), "payroll") || strings.Contains(string(text), "Miller") {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

// Words of the session that the finding needs are named, and written only after the user has allowed it.
func TestReduce_WordsAreAskedFor(t *testing.T) {
	path := reducible(t, `{"name":"payroll","description":"d","inputSchema":{"type":"object"}},{"name":"p\u0430yroll","description":"d","inputSchema":{"type":"object"}}`)
	driveRecording(t, 120, 36, path, func(d *driver) {
		d.press("8/looks like<enter><down>w")
		d.sees("Y004", "of the session, needed by the finding:", `"payroll"`, "allow them in the file")
		file := filepath.Join(d.t.TempDir(), "issue.md")
		d.press("<ctrl+u>" + file + "<enter>")
		d.sees("Read the words of the session that are left")
		if _, err := os.Stat(file); err == nil {
			t.Error("the file was written")
		}
		d.press("<ctrl+x><enter>")
		d.sees("Wrote", "issue.md")
	})
}

// The export of a report offers it for the worst finding; another format does not.
func TestReduce_FromExport(t *testing.T) {
	path := reducible(t, `{"name":"acme_payroll","description":"Pays","inputSchema":{"type":"array"}}`)
	driveRecording(t, 120, 36, path, func(d *driver) {
		d.press("9X<alt+w>")
		d.sees("Choose a report first, such as markdown.")
		d.press("markdown<enter>")
		d.sees("alt+w reduce")
		d.press("<alt+w>")
		d.sees("Reduce to a finding", "T015", "2 of 7 left")
		d.press("<alt+v>")
		d.sees("bug-T015.frames", "# a part of a session")
	})
}
