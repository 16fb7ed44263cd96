package inspector

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/demo"
	"mcptea/session/runs/pins"
	"mcptea/session/runs/watch"
	"mcptea/session/session"
	"mcptea/session/state"
)

const noteSchema = `"inputSchema":{"type":"object","properties":{"text":{"type":"string"}}},"annotations":{"readOnlyHint":true}`

// noted is a server whose tool has another name after a restart.
var noted = []map[string]string{
	withCall(trackerWith(`[{"name":"add_note","description":"Adds a note.",` + noteSchema + `},{"name":"list"}]`)),
	withCall(trackerWith(`[{"name":"append_note","description":"Appends to the notes.",` + noteSchema + `},{"name":"list"}]`)),
}

func withCall(by map[string]string) map[string]string {
	by["tools/call"] = `{"content":[{"type":"text","text":"noted"}]}`
	return by
}

const notePins = "# server: tracker\n\n# add_note\ncall add_note text=milk\nexpect --exact '{\"content\":[{\"type\":\"text\",\"text\":\"noted\"}]}'\n\n# another\ncall list\nexpect ok\n"

// driveRenamed runs a script on the server, with a pin of the tool and arguments that are saved for it,
// after its restart.
func driveRenamed(t *testing.T, w, h int, pinned string, script func(d *driver, path string, arguments *state.Responses)) {
	driveRenamedOn(t, w, h, servesNext(noted...), pinned, script)
}

// driveRenamedOn is driveRenamed on another server.
func driveRenamedOn(t *testing.T, w, h int, serve func(context.Context, io.Reader, io.Writer) error, pinned string, script func(d *driver, path string, arguments *state.Responses)) {
	arguments := state.NewArguments(filepath.Join(t.TempDir(), "arguments.jsonl"))
	if err := arguments.Save(state.Saved{Method: "tools/call add_note", Name: "milk", Result: []byte(`{"text":"milk"}`)}); err != nil {
		t.Fatal(err)
	}
	driveWith(t, w, h, func() (*session.Session, error) {
		return session.Open(servedConfig("2025-11-25", serve))
	}, func(*session.Session) Options { return Options{Arguments: arguments} }, func(d *driver) {
		path := d.model.pins.Path()
		if pinned != "" {
			if err := os.WriteFile(path, []byte(pinned), 0o600); err != nil {
				t.Fatal(err)
			}
			d.within(func() { _ = d.model.pins.Load() })
		}
		d.press("/add_<enter><enter>tea<esc><esc>")
		d.command("restart")
		d.settle()
		script(d, path, arguments)
	})
}

func TestRenames_OneQuestionMovesWhatFilesKeep(t *testing.T) {
	for _, size := range screenSizes {
		driveRenamed(t, size[0], size[1], notePins, func(d *driver, path string, arguments *state.Responses) {
			d.sees("Rename this tool in your files, too?", "add_note", "append_note", "1 pinned call in", "1 set of arguments", "y rename")
			d.press("y")
			d.sees("~ add_note → append_note", "Renamed in 1 pinned call and 1 set of saved arguments.")
			if one, _, _ := d.model.pins.Named("add_note"); one.State != pins.Passed {
				t.Errorf("the pin is %+v", one)
			}
			d.lacks("Rename this tool")
			text, err := os.ReadFile(path)
			if want := strings.Replace(notePins, "call add_note", "call append_note", 1); err != nil || string(text) != want {
				t.Errorf("%v\n%s", err, text)
			}
			if now, err := arguments.Load("tools/call append_note"); err != nil || len(now) != 1 || now[0].Name != "milk" {
				t.Errorf("saved: %v %v", now, err)
			}
			if key := d.model.list().SelectedKey(); key != "append_note" {
				t.Errorf("%s is selected", key)
			}
			d.press("9")
			d.sees("restart 1 · tools ~1")
			d.press("<esc><enter>")
			d.sees("tea") // what was typed before
			d.press("<esc>")
			d.command("restart")
			d.lacks("Rename this tool")
		})
	}
}

// Who is in the form of the tool stays in it.
func TestRenames_InTheForm(t *testing.T) {
	driveReloaded(t, 120, 36, servesNext(noted...), func(d *driver, saved chan<- watch.Burst) {
		d.press("<enter>tea")
		saved <- watch.Burst{Changes: []watch.Change{{Path: "/src/server.js"}}}
		d.settle()
		d.press("s")
		d.sees("~ add_note → append_note", "string teas", "renamed by restart 1  breaking   esc shows how")
	})
}

func TestRenames_FilesStay(t *testing.T) {
	driveRenamed(t, 120, 36, notePins, func(d *driver, path string, arguments *state.Responses) {
		d.press("<esc>")
		d.sees("~ add_note → append_note", "pins ✗ 1")
		d.command("restart")
		d.lacks("Rename this tool")
		text, _ := os.ReadFile(path)
		if old, _ := arguments.Load("tools/call add_note"); string(text) != notePins || len(old) != 1 {
			t.Errorf("%d saved\n%s", len(old), text)
		}
	})
}

// A question that was closed can be had again: by the key that stands where the rename is told, also after the change
// was marked as seen, and from the list of commands.
func TestRenames_AskedAgain(t *testing.T) {
	for _, size := range screenSizes {
		driveRenamed(t, size[0], size[1], notePins, func(d *driver, path string, _ *state.Responses) {
			d.sees("f12 asks again")
			d.press("<esc>")
			d.lacks("Rename this tool in your files")
			d.sees("f12 rename in files: pins and saved arguments")
			d.command("change.see")
			d.lacks("rename in files: pins and saved arguments")
			d.command("pins")
			d.sees("It is called append_note now.", "f12 rename in files")
			d.press("<f12>")
			d.sees("Rename this tool in your files, too?", "1 pinned call in", "1 set of arguments")
			d.press("<esc><ctrl+p>rename in files<enter>")
			d.sees("Rename this tool in your files, too?")
			d.press("y")
			d.sees("Renamed in 1 pinned call and 1 set of saved arguments.")
			d.lacks("It is called append_note now.")
			if text, _ := os.ReadFile(path); !strings.Contains(string(text), "call append_note") {
				t.Errorf("the pins are\n%s", text)
			}
			d.press("<f12>")
			d.sees("No pin and no saved arguments have the old name add_note.")
		})
	}
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("<f12>")
		d.sees("No tool or prompt was renamed in this session.")
	})
}

// A second rename is asked about with the name that the files have followed it to.
func TestRenames_TwiceInASession(t *testing.T) {
	third := withCall(trackerWith(`[{"name":"note_down","description":"Appends to the notes.",` + noteSchema + `},{"name":"list"}]`))
	driveRenamedOn(t, 120, 36, servesNext(noted[0], noted[1], third), notePins, func(d *driver, path string, _ *state.Responses) {
		d.press("y")
		d.sees("Renamed in 1 pinned call and 1 set of saved arguments.")
		d.command("restart")
		d.settle()
		d.sees("Rename this tool in your files, too?", "old name  append_note", "new name  note_down", "1 pinned call in")
		d.press("<esc><f12>")
		d.sees("Rename this tool in your files, too?")
		d.press("y")
		if text, _ := os.ReadFile(path); !strings.Contains(string(text), "call note_down") {
			t.Errorf("the pins are\n%s", text)
		}
	})
}

// A question that has become untrue while it was open is closed, and changes no file.
func TestRenames_UndoneWhileAsked(t *testing.T) {
	driveRenamedOn(t, 120, 36, servesNext(noted[0], noted[1], noted[0]), notePins, func(d *driver, path string, _ *state.Responses) {
		d.sees("Rename this tool in your files, too?")
		d.within(func() { d.model.Go(func(ctx context.Context) func() { _ = d.model.session.Restart(ctx); return nil }) })
		d.lacks("Rename this tool")
		d.sees("The server has other names now: nothing is renamed in files.")
		if text, _ := os.ReadFile(path); string(text) != notePins {
			t.Errorf("the pins are\n%s", text)
		}
	})
}

// mcptea asks nothing if no file has data about the tool.
func TestRenames_NothingKept(t *testing.T) {
	driveRenamed(t, 120, 36, "", func(d *driver, _ string, _ *state.Responses) {
		d.sees("Rename this tool", "1 set of arguments")
		d.lacks("pinned call")
		d.press("<esc>")
	})
	driveReloaded(t, 120, 36, servesNext(noted...), func(d *driver, saved chan<- watch.Burst) {
		saved <- watch.Burst{Changes: []watch.Change{{Path: "/src/server.js"}}}
		d.settle()
		d.sees("~ add_note → append_note", "renamed by restart 1", "description")
		d.lacks("Rename this tool")
	})
}

// Where the tool and its property have other names at once, pins, saved arguments and what is typed have both.
func TestRenames_PropertiesMoveToo(t *testing.T) {
	schema := `"inputSchema":{"type":"object","properties":{"body":{"type":"string"}},"required":["body"]},"annotations":{"readOnlyHint":true}`
	both := withCall(trackerWith(`[{"name":"append_note","description":"Adds a note.",` + schema + `},{"name":"list"}]`))
	for _, size := range screenSizes {
		driveRenamedOn(t, size[0], size[1], servesNext(noted[0], both), notePins, func(d *driver, path string, arguments *state.Responses) {
			d.sees("Rename this tool in your files, too?", "property", "text → body")
			d.press("y")
			d.sees("Renamed in 1 pinned call and 1 set of saved arguments.")
			d.lacks("arguments do not fit")
			text, err := os.ReadFile(path)
			if want := strings.Replace(notePins, "call add_note text=milk", "call append_note body=milk", 1); err != nil || string(text) != want {
				t.Errorf("%v\n%s", err, text)
			}
			if now, err := arguments.Load("tools/call append_note"); err != nil || len(now) != 1 || string(now[0].Result) != `{"body":"milk"}` {
				t.Errorf("saved: %v %v", now, err)
			}
			d.press("<esc><enter>")
			d.sees("body", "tea") // what was typed before
		})
	}
}

// The key that shows how a tool has changed is named where it does: not while the pins have the focus, whose back
// takes them away, nor over a search in the result.
func TestRenames_BackShowsHow(t *testing.T) {
	third := withCall(trackerWith(`[{"name":"note_down","description":"Appends to the notes.",` + noteSchema + `},{"name":"list"}]`))
	for _, size := range screenSizes {
		driveRenamedOn(t, size[0], size[1], servesNext(noted[0], noted[1], third), notePins, func(d *driver, _ string, _ *state.Responses) {
			d.press("y")
			d.command("item.open")
			d.command("call.send")
			d.settle()
			d.command("restart")
			d.settle()
			d.press("<esc>") // the files stay
			d.sees("renamed by restart 2  breaking   esc shows how")
			d.command("pins")
			d.lacks("shows how")
			d.press("<esc>")
			d.sees("esc shows how")
			d.command("result")
			d.sees("esc shows how")
			d.press("/noted<enter>")
			d.lacks("shows how")
			d.press("<esc>")
			d.sees("esc shows how")
			d.press("<esc>")
			d.lacks("esc shows how")
			d.sees("Clients that use its old name append_note fail.")
		})
	}
}
