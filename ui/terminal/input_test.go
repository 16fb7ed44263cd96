//go:build unix

package terminal

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// chunks is an input that arrives in pieces.
type chunks struct {
	term.File
	left []string
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.left[0])
	c.left = c.left[1:]
	return n, nil
}

func TestPasteInput(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"keys":            {"a\x1b[A\x1b]x\x1b", "a\x1b[A\x1b]x\x1b"},
		"text":            {"\x1b[200~one\r\ttwo é 日本 👩‍💻\x1b[201~q", "\x1b[200~one\r\ttwo é 日本 👩‍💻\x1b[201~q"},
		"osc":             {"\x1b[200~abc\x1b]0;x\x1b[201~q", "\x1b[200~abc]0;x\x1b[201~q"},
		"dcs at the end":  {"\x1b[200~abc\x1bP\x1b[201~q", "\x1b[200~abcP\x1b[201~q"},
		"escapes":         {"\x1b[200~\x1b\x1b\x1b[31m\x1b[201~\x1b[A", "\x1b[200~[31m\x1b[201~\x1b[A"},
		"c1":              {"\x1b[200~a\x9d0;x\xc3\x9db\x1b[201~", "\x1b[200~a0;x\xc3\x9db\x1b[201~"},
		"nested start":    {"\x1b[200~\x1b[200~a\x1b[201~b", "\x1b[200~[200~a\x1b[201~b"},
		"restarted start": {"\x1b\x1b[200~\x1ba\x1b[201~\x1b", "\x1b\x1b[200~a\x1b[201~\x1b"},
	} {
		t.Run(name, func(t *testing.T) {
			for size := 1; size <= len(tc.in); size++ {
				var pieces []string
				for at := 0; at < len(tc.in); at += size {
					pieces = append(pieces, tc.in[at:min(at+size, len(tc.in))])
				}
				got, err := io.ReadAll(&pasteInput{File: &chunks{left: pieces}})
				if err != nil || string(got) != tc.want {
					t.Errorf("in pieces of %d: %q, %v, want %q", size, got, err, tc.want)
				}
			}
		})
	}
}

// received collects what a program is told.
type received struct {
	paste chan string
	keys  chan string
}

func (r received) Init() tea.Cmd  { return nil }
func (r received) View() tea.View { return tea.NewView("") }

func (r received) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		r.paste <- msg.Content
	case tea.KeyPressMsg:
		r.keys <- msg.String()
		if msg.String() == "q" {
			return r, tea.Quit
		}
	}
	return r, nil
}

// A paste with a string sequence that has no end must not take the keys that
// come after it.
func TestPasteInput_KeysAfterAnUnterminatedSequence(t *testing.T) {
	for _, sequence := range []string{"\x1b]0;x", "\x1bP1$r", "\x1b_x", "\x1b^x", "\x1bXx", "\x1b[", "\x1b"} {
		master, tty, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		r := received{make(chan string, 10), make(chan string, 100)}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		p := tea.NewProgram(r, tea.WithContext(ctx), tea.WithInput(newInput(tty)), tea.WithOutput(io.Discard),
			tea.WithWindowSize(80, 24), tea.WithoutSignalHandler(), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
		ended := make(chan error, 1)
		go func() {
			_, err := p.Run()
			ended <- err
		}()
		if _, err := master.WriteString(pasteStart + "abc" + sequence + pasteEnd + "q"); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("%q: no key came after the paste: %v", sequence, err)
		} else if got := <-r.paste; got != "abc"+strings.TrimPrefix(sequence, "\x1b") {
			t.Errorf("%q: pasted %q", sequence, got)
		}
		cancel()
		for _, f := range []*os.File{master, tty} {
			_ = f.Close()
		}
	}
}

// Bubble Tea cancels the reading of such input alone: any other loses the key
// after an editor.
func TestPasteInput_CanBeCancelled(t *testing.T) {
	var in any = newInput(os.Stdin)
	f, ok := in.(interface {
		io.ReadWriteCloser
		Fd() uintptr
		Name() string
	})
	if !ok || f.Name() != os.Stdin.Name() || f.Fd() != os.Stdin.Fd() {
		t.Error("the input is no file")
	}
}
