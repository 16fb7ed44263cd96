package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/transport/inmemory"
	"mcptea/demo"
	"mcptea/internal/sessiontest"
	"mcptea/session"
	"mcptea/session/responses"
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
		d.model.options.Arguments = responses.NewArguments(filepath.Join(os.Getenv("XDG_STATE_HOME"), "arguments.jsonl"))
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
		d.press("<ctrl+u>again {{last.result.content.0.text}}")
		d.sees("sends again hi Ada")
		d.press("<enter>")
		if sent := d.lastSent(); !strings.Contains(sent, `"message":"again hi Ada"`) {
			t.Errorf("sent %s", sent)
		}
		// A secret is masked; an unknown name is explained, and sent when the user insists.
		d.press("<ctrl+u>{{env.MCPTEA_TEST_TOKEN}}")
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
		d.press(`<ctrl+u>\{{env.HOME}}<enter>`)
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
		d.press("<ctrl+u>@missing.txt<enter>")
		d.sees(`cannot read "missing.txt": no such file or directory`)
		d.press("<enter>")
		if sent := d.lastSent(); !strings.Contains(sent, `"message":"@missing.txt"`) {
			t.Errorf("sent %s", sent)
		}
		d.press("<ctrl+u>@@user<enter>")
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
		d.press("<ctrl+u>second token=hunter3hunter3<enter>")
		d.press("<ctrl+u>third<alt+n>")
		d.sees("Save the arguments")
		d.press("greeting<enter>")
		d.sees("Saved as greeting.")
	})
	driveRecorded(t, 120, 36, func(d *driver) {
		d.press("<enter><alt+s>")
		d.sees("Arguments", "saved", "greeting", "third", "sent", "second", "first {{env.MCPTEA_TEST_TOKEN}}")
		d.press("<enter>")
		d.sees("third")
		d.press("<alt+s><down><down><enter>")
		d.sees("{{env.MCPTEA_TEST_TOKEN}}")
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
		if info, err := os.Stat(path); err == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %o", name, info.Mode().Perm())
		}
	}
}
