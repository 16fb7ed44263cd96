package inspector

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/session"
	"mcptea/session/state"
)

// driveRecorded runs a script in a session that keeps a recording and histories.
func driveRecorded(t *testing.T, w, h int, script func(d *driver)) {
	t.Helper()
	driveSession(t, w, h, session.Config{
		Target: client.Target{Argv: []string{"demo-server"}}, Record: filepath.Join(t.TempDir(), "session.mcptea"), Lists: client.ListKinds,
		Client: client.Config{Name: "mcptea", Version: "test", Revision: "2025-11-25"},
		Dial: func(tap client.Tap, cfg client.Config) *client.Client {
			return client.NewOver(inmemory.New(sessiontest.Demo(demo.Options{})), tap, cfg)
		},
	}, func(d *driver) {
		d.model.arguments.File = state.NewArguments(filepath.Join(os.Getenv("XDG_STATE_HOME"), "arguments.jsonl"))
		script(d)
	})
}

func TestForm_VariablesAreResolvedAndPreviewed(t *testing.T) {
	t.Setenv("MCPTEA_TEST_NAME", "Ada")
	t.Setenv("MCPTEA_TEST_TOKEN", "hunter2hunter2")
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("<enter>hi {{env.MCPTEA_TEST_NAME}}")
		d.sees("sends hi Ada")
		d.press("<enter>")
		if sent := d.lastSent(); !strings.Contains(sent, `"message":"hi Ada"`) {
			t.Errorf("sent %s", sent)
		}
		d.press("e<ctrl+u>again {{last.result.content.0.text}}")
		d.sees("sends again hi Ada")
		d.press("<enter>")
		if sent := d.lastSent(); !strings.Contains(sent, `"message":"again hi Ada"`) {
			t.Errorf("sent %s", sent)
		}
		// A secret is masked; an unknown name is explained, and sent when the user insists.
		d.press("e<ctrl+u>{{env.MCPTEA_TEST_TOKEN}}")
		d.sees("14 characters")
		d.lacks("hunter2")
		before := d.lastSent()
		d.press("<ctrl+u>{{user}}<enter>")
		d.sees("{{user}} is not a variable", "again sends it")
		if d.lastSent() != before {
			t.Error("an unknown variable was sent at once")
		}
		d.press("<enter>")
		if sent := d.lastSent(); !strings.Contains(sent, `"message":"{{user}}"`) {
			t.Errorf("sent %s", sent)
		}
		d.press(`e<ctrl+u>\{{env.HOME}}<enter>`)
		if sent := d.lastSent(); !strings.Contains(sent, `"message":"{{env.HOME}}"`) {
			t.Errorf("sent %s", sent)
		}
	})
}

func TestForm_FileIsSent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.txt")
	if err := os.WriteFile(path, []byte("two\nlines"), 0o600); err != nil {
		t.Fatal(err)
	}
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("<enter>@" + path)
		d.sees("the content of the file")
		d.press("<enter>")
		if sent := d.lastSent(); !strings.Contains(sent, `"message":"two\nlines"`) {
			t.Errorf("sent %s", sent)
		}
		d.press("e<ctrl+u>@missing.txt<enter>")
		d.sees(`cannot read "missing.txt": `)
		d.press("<enter>")
		if sent := d.lastSent(); !strings.Contains(sent, `"message":"@missing.txt"`) {
			t.Errorf("sent %s", sent)
		}
		d.press("e<ctrl+u>@@user<enter>")
		if sent := d.lastSent(); !strings.Contains(sent, `"message":"@user"`) {
			t.Errorf("sent %s", sent)
		}
	})
}

func TestForm_ArgumentsAreUsedAgain(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("MCPTEA_TEST_TOKEN", "hunter2hunter2")
	driveRecorded(t, 120, 36, func(d *driver) {
		d.press("<enter>first {{env.MCPTEA_TEST_TOKEN}}<enter>")
		d.press("e<ctrl+u>second token=hunter3hunter3<enter>")
		d.press("e<ctrl+u>third<alt+w>")
		d.sees("Save the arguments")
		d.press("greeting<enter>")
		d.sees("Saved as greeting.")
	})
	driveRecorded(t, 120, 36, func(d *driver) {
		d.press("<enter><ctrl+r>")
		d.sees("Arguments", "saved", "greeting", "third", "sent", "second", "first {{env.MCPTEA_TEST_TOKEN}}")
		d.press("<enter>")
		d.sees("third")
		d.press("<ctrl+r><down><down><enter>")
		d.sees("env.MCPTEA_TEST_TOKEN}}")
		d.press("<enter>")
		if sent := d.lastSent(); !strings.Contains(sent, "first hunter2hunter2") {
			t.Errorf("sent %s", sent)
		}
	})
	for _, name := range []string{"arguments.jsonl", filepath.Join("mcptea", "arguments-sent.jsonl")} {
		path := filepath.Join(state, name)
		text, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(text), "hunter2hunter2") || strings.Contains(string(text), "hunter3") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		if info, err := os.Stat(path); err == nil && os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %o", name, info.Mode().Perm())
		}
	}
}

// The sentences of forms, of the inbox and of the prompt for a repetition, each in its
// situation.
func TestForms_Sentences(t *testing.T) {
	asks := map[string]string{
		"sampling":    `"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"?"}}],"maxTokens":9,"temperature":0.7}`,
		"elicitation": `"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"mail":{"type":"string","format":"email"},"page":{"type":"string","format":"uri"}}}}`,
	}
	for _, c := range []struct {
		name, schema, asks, keys string
		sees                     []string
		lacks                    string
	}{
		{name: "a range", schema: `{"properties":{"n":{"type":"number","minimum":-1000000,"maximum":1000000}}}`, sees: []string{"-1,000,000 to 1,000,000"}},
		{name: "a fraction", schema: `{"properties":{"n":{"type":"number","minimum":-0.5,"maximum":1e300}}}`, sees: []string{"-0.5 to 1e+300"}},
		{
			name: "facts after a sentence", schema: `{"required":["d"],"properties":{"d":{"type":"string","minLength":1,"description":"Choose the department."}}}`,
			sees: []string{"Choose the department. Not empty."}, lacks: "., ",
		},
		{
			name: "a text that must not be empty", schema: `{"required":["d"],"properties":{"d":{"type":"string","minLength":1}}}`, keys: "<enter><ctrl+s>",
			sees: []string{"✗ required", `d is empty. enter again sends ""`}, lacks: "expected some text",
		},
		{
			name: "a text that may be empty", schema: `{"required":["d"],"properties":{"d":{"type":"string"}}}`, keys: "<enter><ctrl+s>",
			sees: []string{"✗ empty", `d is empty. enter again sends ""`},
		},
		{
			name: "texts of an item", schema: `{"required":["l"],"properties":{"l":{"type":"array","minItems":1,"items":{"type":"object","required":["a","b"],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}}}}`,
			keys: "<enter><ctrl+s>", sees: []string{`l[0].a and 1 more are empty. enter again sends ""`},
		},
		{name: "a sampling request", asks: "sampling", keys: "5", sees: []string{"settings   temperature 0.7", "mcptea declines in 4:"}, lacks: "auto-"},
		{name: "an elicitation", asks: "elicitation", keys: "5", sees: []string{"mcptea cancels in 4:"}, lacks: "auto-"},
		{name: "an untouched form of the server", asks: "elicitation", keys: "5<ctrl+s>", sees: []string{`name is empty. ctrl+s again sends ""`}},
		{name: "an email address", asks: "elicitation", keys: "5<enter>A<tab>x<ctrl+s>", sees: []string{"✗ is not an email address", "ctrl+s again sends it anyway"}},
		{name: "a page", asks: "elicitation", keys: "5A<tab><tab>x<ctrl+s>", sees: []string{"✗ is not a URI"}},
		{name: "an empty response", asks: "sampling", keys: "5<ctrl+s>", sees: []string{"The response is empty. ctrl+s again sends it."}},
		{name: "a repetition", keys: "1c<alt+r>", sees: []string{"› 10", "“50 20ms”", "enter send"}},
		{name: "a repetition after help", keys: "1c<alt+r><f1><esc>50 at once", sees: []string{"› 50 at once", "Sends 50 frames, all in parallel."}},
		{name: "the level of the server", keys: "6,", sees: []string{"Level of the server", "enter set"}},
		{name: "a palette with words", keys: "<ctrl+p>kk", sees: []string{"› kk", "esc close"}},
		{name: "a palette closed with words", keys: "<ctrl+p>kk<esc>", sees: []string{"? keys"}, lacks: "› kk"},
	} {
		serve := sessiontest.Scripted(func(method, id string) string {
			switch method {
			case "initialize":
				return `{"jsonrpc":"2.0","id":` + id + `,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`
			case "tools/list":
				return `{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[{"name":"t","inputSchema":` + cmp.Or(c.schema, "{}") + `}]}}`
			case "notifications/initialized":
				if c.asks != "" {
					return `{"jsonrpc":"2.0","id":"s","method":` + asks[c.asks] + `}`
				}
			}
			return ""
		})
		driveServer(t, 120, 40, serve, func(d *driver) {
			d.press(c.keys)
			t.Run(c.name, func(t *testing.T) {
				d.t = t
				d.sees(c.sees...)
				if c.lacks != "" {
					d.lacks(c.lacks)
				}
			})
			d.t = t
		})
	}
}

// A required field without a value has none in the JSON either, which is not sent like this; filled in
// there, it is a value of the form.
func TestForm_JSONInventsNoValue(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2/add<enter><enter><alt+v>")
		d.sees(`"a": null`)
		d.sees("ctrl+s send   alt+v form/JSON") // enter starts a new line
		d.press("<ctrl+s>")
		d.sees("a: expected a number, found null")
		if sent := d.allSent(); strings.Contains(sent, "tools/call") {
			t.Errorf("sent %s", sent)
		}
		d.press("<alt+v>")
		d.lacks("null")
	})
}
