package pins

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"mcptea/session/session"
)

// Pins do not run by themselves in a session that shows a recording, although the server of the recording has been
// started again: another client sends its requests.
func TestUpdate_NotInARecording(t *testing.T) {
	dir := t.TempDir()
	recording, file := filepath.Join(dir, "tap.mcptea.jsonl"), filepath.Join(dir, "mcptea.txtar")
	for path, text := range map[string]string{
		recording: `{"mcptea":2,"t":1780000000000000000,"tool":"mcptea","transport":"stdio","target":"node s.js"}` + "\n",
		file:      "# readme\nread demo://readme\nexpect --exact @readme.json\n\n-- readme.json --\n{}\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := session.OpenRecording(recording, session.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(t.Context()) }()
	p := New(context.WithoutCancel(t.Context()), s, file)
	if err := p.Load(); err != nil {
		t.Fatal(err)
	}
	for attempt := range 3 {
		p.Update(session.State{Phase: session.Ready, Attempt: attempt + 1})
	}
	p.Wait()
	list, _, _, problem := p.List()
	if len(list) != 1 || problem != nil || list[0].State != NotRun {
		t.Errorf("%+v, %v", list, problem)
	}
}
