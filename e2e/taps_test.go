//go:build unix

package e2e

import (
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// A tap that is started while the inspector runs has a chip there, which opens what it records, live;
// the chip goes with it.
func TestTaps_ChipComesOpensAndGoes(t *testing.T) {
	t.Parallel()
	term := onTerminal(t, "demo")
	term.shows("connected")
	path := program(t)
	tap := exec.CommandContext(t.Context(), path, "tap", "--as", "cursor/notes", "--", path, "demo", "--serve")
	tap.Dir, tap.Env = t.TempDir(), term.cmd.Env // with the same state directory
	in, err := tap.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tap.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"editor","version":"1"}}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	term.shows("tap cursor/notes")
	before, _, _ := strings.Cut(term.text(), "tap cursor/notes")
	at := len([]rune(before)) + 1
	term.types(fmt.Sprintf("\x1b[<0;%d;1M\x1b[<0;%d;1m", at, at))
	term.shows("WATCHING")
	term.shows(`"editor"`)
	if first, _, _ := strings.Cut(term.text(), "\n"); !strings.Contains(first, "›tap cursor/notes ●") {
		t.Errorf("the first row is %s", first)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := tap.Wait(); err != nil {
		t.Error(err)
	}
	term.types("q")
	term.shows("stdio")
	term.leaves()
}
