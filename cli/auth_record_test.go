package cli

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcptea/cli/link"
	"mcptea/cli/settings"
)

// A recording that could not be written to its end is reported.
func TestAuthRecord_Incomplete(t *testing.T) {
	errs, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errs.Close() }()
	command := &authCommand{Link: link.New(settings.New(newProgram(os.Stdin, os.Stdout, errs, nil).App))}
	command.IncompleteRecording(nil)
	command.IncompleteRecording(errors.New("no space left on device"))
	text, err := os.ReadFile(errs.Name())
	if err != nil || string(text) != "warning: the recording is incomplete: no space left on device\n" {
		t.Errorf("%v, %q", err, text)
	}
}
