package inspector

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/session/explain/remedy"
	"mcptea/session/runs/watch"
	"mcptea/session/session"
)

// A variable that was set can be written into the entry that the server came from, after a question
// that shows the file and the change.
func TestRemedies_WrittenIntoTheEntry(t *testing.T) {
	var asked, wrote []string
	m := mending{name: "entry", target: commandOf("node", "server.js"), process: needs("API_KEY"), keep: func(vars []string) (remedy.Keeping, error) {
		asked = vars
		return remedy.Keeping{
			File: "/home/ann/.cursor/mcp.json", Entry: "cursor/notes", Diff: []string{` "args": []`, `+"env": {"API_KEY": "••••"}`},
			Notes: []string{"The file is under version control: others get the values."},
			Write: func() error { wrote = append(wrote, vars...); return nil },
		}, nil
	}}
	m.run(t, func(d *driver, _ *session.Session, _ chan<- watch.Burst) {
		d.press("w")
		d.sees("No variable was set in this run.")
		d.press("<enter>")
		d.sees("The page Server can write it into the")
		d.press(sekrit + "<enter>")
		d.settle()
		d.press("1")
		d.sees("changed     API_KEY", "in this run only; w writes it into the entry of the configuration")
		d.press("w")
		d.sees("Write this change?", "/home/ann/.cursor/mcp.json", "cursor/notes", `"API_KEY": "••••"`, "under version control", "y write it")
		if d.settle(); !slices.Equal(asked, []string{"API_KEY=" + sekrit}) || wrote != nil {
			t.Fatalf("asked about %d variables, wrote %d", len(asked), len(wrote))
		}
		d.press("y")
		d.sees("Wrote API_KEY into /home/ann/.cursor/mcp.json.")
		d.lacks("in this run only")
		if !slices.Equal(wrote, asked) {
			t.Errorf("wrote %d variables", len(wrote))
		}
		d.press("w")
		d.sees("The variables are in the configuration.")
	})
}

// A server that was started by a command line comes from no file.
func TestRemedies_NoEntry(t *testing.T) {
	m := mending{name: "command", target: commandOf("node", "server.js"), process: needs("DATABASE_URL")}
	m.run(t, func(d *driver, _ *session.Session, _ chan<- watch.Burst) {
		d.press("<enter>")
		d.sees("in this run only, and is not stored")
		d.press("2<enter>")
		d.settle()
		d.press("1")
		d.lacks("writes it into")
		d.press("w")
		d.sees("The server comes from no configuration file.")
	})
}

// A correction that was typed is in no file: the page names the file, and what it still has, until the user has mended it.
func TestRemedies_FileStillHasTheMistake(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mcp.json")
	write := func(command string) {
		text := "{\"mcpServers\": {\n\"notes\": {\"command\": \"" + command + "\", \"args\": [\"server.js\"]}}}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("nosuchserver")
	target := commandOf("nosuchserver", "server.js")
	target.Entry = &client.Entry{Host: "Cursor", File: file, Line: 2, Pointer: "/mcpServers/notes"}
	m := mending{name: "entry", target: target, process: func(_ client.Target, _ *process, in io.Reader, out io.Writer) int {
		reply(in, out, forecast)
		return 0
	}}
	m.run(t, func(d *driver, _ *session.Session, _ chan<- watch.Burst) {
		d.sees("Cannot start", "open mcp.json:2 in your editor", "mcp.json:2 (Cursor), /mcpServers/notes")
		d.press("u")
		d.press(strings.Repeat("<backspace>", len("nosuchserver server.js")) + "node server.js<enter>")
		d.sleep(5 * time.Second)
		d.sees("● connected", "Not saved:")
		d.press("1")
		d.sees("changed     command node server.js", "not saved", `mcp.json:2 still has "nosuchserver"`)
		write("node")
		d.sleep(5 * time.Second)
		d.press("2")
		d.sleep(5 * time.Second)
		d.press("1")
		d.lacks("still has")
	})
}
