package inspector

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/demo"
	"mcptea/internal/test/raced"
)

// What was done is there as commands, without secrets and without what mcptea has sent by itself. They are copied one by
// one or all, and written as a script.
func TestActions_CommandsOfTheSession(t *testing.T) {
	raced.Never(t, "one window over a finished session")
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.call("echo", `{"message":"hi","api_key":"sk-proj-abcdefghijklmnopqrstuvwxyz012345"}`)
		for _, r := range [][2]string{{"resources/read", `{"uri":"demo://readme"}`}, {"logging/setLevel", `{"level":"debug"}`}, {"x/own", `{"a":[1]}`}} {
			d.session.Start(r[0], []byte(r[1]))
			d.settle()
		}
		d.palette("session commands")
		d.sees("Commands of this session", "  info", `call --tool=echo '{"message":"hi","api_key":"'"$SECRET"'"}'`, "read --uri=demo://readme", "listen logs --level=debug --protocol=2025-11-25", `send x/own '{"a":[1]}'`, "the whole command", `mcptea send x/own '{"a":[1]}' -- `)
		d.lacks("sk-proj")
		d.lacks("list tools")
		d.press("y")
		d.sees("Copied command")
		d.press("Y")
		d.sees("Copied 5 commands")
		d.press("<up><up><up>")
		d.sees(`mcptea call --tool=echo '{"message":"hi","api_key":"'"$SECRET"'"}' -- `)
		path := filepath.Join(d.t.TempDir(), "done.sh")
		d.press("w")
		d.sees("Export", "▌command", "frames #")
		d.press("<ctrl+u>" + path + "<enter>")
		d.sees("Wrote", "done.sh")
		text, err := os.ReadFile(path)
		if got := string(text); err != nil || strings.Count(got, "\n") != 4 || !strings.Contains(got, "$SECRET") || strings.Contains(got, "sk-proj") || strings.Contains(got, " list ") {
			t.Errorf("%v\n%s", err, text)
		}
		d.palette("session commands")
		d.press("<home>")
		d.sees("mcptea info -- ")
		d.press("<down><enter>")
		d.lacks("Commands of this session")
		d.sees("→ #20 request tools/call")
	})
}

// A session in which nothing was done says so.
func TestActions_NothingDone(t *testing.T) {
	raced.Never(t, "one window over a finished session")
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		d.palette("session commands")
		d.sees("  info", "mcptea info -- ")
		d.press("w")
		d.sees("No request was sent yet.")
	})
}
