package app

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Scripts rely on the exit codes, and on their names in JSON.
func TestReport_ExitCodes(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		code int
		name string
	}{
		"usage":         {Usage("hint", "wrong"), 2, "usage"},
		"failed":        {Failed("wrong"), 1, "failed"},
		"another error": {errors.New("wrong"), 1, "failed"},
		"connect":       {&Error{Code: ExitConnect, Text: "wrong"}, 3, "connect"},
		"authorization": {&Error{Code: ExitAuth, Text: "wrong"}, 4, "authorization"},
		"incomplete":    {&Error{Code: ExitIncomplete, Text: "wrong"}, 5, "incomplete"},
		"wrapped":       {fmt.Errorf("wrong: %w", &Error{Code: ExitAuth, Text: "wrong"}), 4, "authorization"},
		"broken pipe":   {ErrBrokenPipe, 141, ""},
		"hangup":        {fmt.Errorf("wrong: %w", ErrHangup), 129, ""},
		"printed":       {Silent(ExitError), 1, ""},
	} {
		var out, errs bytes.Buffer
		p := &App{Out: &Screen{Writer: &out}, Err: &Screen{Writer: &errs}, Args: []string{"list", "--json"}}
		p.Report(tt.err)
		if p.Code != tt.code {
			t.Errorf("%s: exit code %d, want %d", name, p.Code, tt.code)
		}
		if printed := strings.Contains(errs.String(), "wrong"); printed != (tt.name != "") {
			t.Errorf("%s: stderr has %q", name, &errs)
		}
		if want := `"code":"` + tt.name + `"`; tt.name == "" && out.Len() > 0 || tt.name != "" && !strings.Contains(out.String(), want) {
			t.Errorf("%s: stdout has %q, want %s", name, &out, want)
		}
	}
}

// A command that takes no arguments says which one it got, and how to see its usage.
func TestNoArguments(t *testing.T) {
	root, cmd := &cobra.Command{Use: "mcptea"}, &cobra.Command{Use: "themes"}
	root.AddCommand(cmd)
	if err := NoArguments(cmd, nil); err != nil {
		t.Errorf("no arguments: %v", err)
	}
	err, ok := errors.AsType[*Error](NoArguments(cmd, []string{"dark", "light"}))
	if !ok || err.Code != ExitUsage || err.Text != `themes takes no arguments, found "dark"` || err.Hint != "Type mcptea themes --help for its usage." {
		t.Errorf("got %+v", err)
	}
}
