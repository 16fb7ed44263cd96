package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"
	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/shell"
	"mcptea/session/explain/card"
	"mcptea/ui/app"
	"mcptea/ui/browser"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/terminal"
)

// What follows is what a pane may ask of the program on every screen.

// Key implements [app.Program].
func (p *program) Key(id string) string {
	if c := p.find(id); c != nil {
		return p.keys.Name(c, false)
	}
	if p.elsewhere == nil {
		p.elsewhere, _ = sections() // without them the sentence names no key
	}
	for _, s := range p.elsewhere {
		if c := named(id, s.Commands); c != nil {
			return p.keys.Name(c, false)
		}
	}
	return ""
}

// Name and Run implement [keys.Names] for what is painted.
func (p *program) Name(id string) string {
	if c := p.find(id); c != nil {
		return p.keys.Name(c, p.painted.Field() != nil)
	}
	return ""
}

// Run runs a command by its id, where it works.
func (p *program) Run(id string) {
	if c := p.find(id); c != nil {
		p.carryOut(c)
	}
}

// find finds a command by its id: of what has the keys, of the program, of another pane.
func (p *program) find(id string) *keys.Command {
	if c := named(id, append(p.lists(), p.screen.commands(), p.ends())...); c != nil {
		return c
	}
	for _, at := range p.screen.places() {
		for _, s := range at.Sections() {
			if c := named(id, s.Commands); c != nil {
				return c
			}
		}
	}
	return nil
}

// ends are the commands that move, and those that end a line.
func (p *program) ends() []keys.Command {
	if p.moving == nil {
		for i := range keys.Motions {
			m := &keys.Motions[i]
			c := m.Command
			c.Run = func() { p.move(m.Motion) }
			p.moving = append(p.moving, c)
		}
		accept := keys.Command{ID: "dialog.accept", Keys: keys.On("enter"), Label: "accept", Run: func() {}}
		shut := keys.Command{ID: "dialog.close", Keys: keys.On("esc"), Label: "close", Run: func() { p.move(keys.Back) }}
		p.moving = append(p.moving, keys.Apply, keys.Clear, accept, shut)
	}
	return p.moving
}

// motions are the commands that move.
func (p *program) motions() []keys.Command { return p.ends()[:len(keys.Motions)] }

func named(id string, lists ...[]keys.Command) *keys.Command {
	for _, list := range lists {
		if i := slices.IndexFunc(list, func(c keys.Command) bool { return c.ID == id }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// say shows a message in the last line; the next look at what is new starts its clock.
//
//go:noinline
func (p *program) say(f flash) {
	p.flash, p.flashShown = f, time.Time{}
	p.wake()
}

// Say implements [app.Program].
//
//go:noinline
func (p *program) Say(text string) { p.say(flash{text: text}) }

// Fail implements [app.Program].
//
//go:noinline
func (p *program) Fail(text string) { p.say(flash{text: text, wrong: true}) }

// Copy implements [app.Program].
func (p *program) Copy(text string, raw []byte, what string) {
	p.do(copyText(copied{text: text, bytes: raw, what: what}, p.options.Clipboard))
}

// editorClosed says that a file of the user may have changed.
type editorClosed struct{}

// OpenSource implements [app.Program].
func (p *program) OpenSource(path string, line int) {
	p.editor(func(err error) {
		if err != nil {
			p.Fail("The editor failed: " + err.Error())
			return
		}
		p.screen.receive(editorClosed{})
	}, terminal.AtLine(path, line)...)
}

// Explain implements [app.Program].
func (p *program) Explain(c card.Card) { dialog.Card(p, c) }

// Go implements [app.Program].
func (p *program) Go(work func(context.Context) func()) {
	p.do(func() tea.Msg {
		if !p.begins() {
			return nil
		}
		defer p.work.Done()
		return done(work(p.ctx))
	})
}

// begins counts work of [program.Go]; false when the program has ended. Bubble Tea drops the
// commands of the last messages, so that work counts only from here on.
func (p *program) begins() bool {
	p.ending.Lock()
	defer p.ending.Unlock()
	if p.ended {
		return false
	}
	p.work.Add(1)
	return true
}

// window is the window that has the keys; nil without one.
func (p *program) window() app.Dialog {
	if n := len(p.windows); n > 0 {
		return p.windows[n-1]
	}
	return nil
}

// Open implements [app.Program].
func (p *program) Open(d app.Dialog) {
	p.turn(func() {
		for len(p.windows) > 0 {
			p.Close(p.window())
		}
		p.over(d)
	})
}

// over opens a window over those that are open.
func (p *program) over(d app.Dialog) {
	p.windows = append(p.windows, d)
	p.wake()
}

// Close implements [app.Program].
func (p *program) Close(d app.Dialog) bool {
	i := slices.Index(p.windows, d)
	if i < 0 {
		return false
	}
	p.windows = slices.Delete(p.windows, i, i+1)
	if c, ok := d.(app.Closer); ok {
		c.Close()
	}
	return true
}

// maxLate is how many late results wait; the oldest is dropped for another one.
const maxLate = 8

// late is what a result of work outside of Update changes on the screen.
type late []func()

// arrive calls what work outside of Update has returned.
func (p *program) arrive(result func()) {
	if result == nil {
		return
	}
	var l late
	p.arriving = &l
	result()
	p.arriving = nil
	if len(l) > 0 {
		p.late = append(p.late, l)
		p.late = slices.Delete(p.late, 0, max(0, len(p.late)-maxLate))
		p.say(flash{text: "A result is ready. It is shown when you have finished here.", stay: true})
	}
}

// turn opens a window, or leads to another pane. All that does either goes through it: at
// once for the user, but what comes late waits while the user types or has a window open.
func (p *program) turn(run func()) {
	if l := p.arriving; l != nil && (len(*l) > 0 || p.window() != nil || p.typing) {
		*l = append(*l, run)
		return
	}
	p.arriving = nil // what follows belongs to it
	run()
}

// runLate shows the oldest result that waits, if the user has finished.
func (p *program) runLate() {
	if len(p.late) == 0 || p.window() != nil || p.typing {
		return
	}
	l := p.late[0]
	p.late = slices.Delete(p.late, 0, 1)
	for _, run := range l {
		run()
	}
}

// News implements [app.Program].
func (p *program) News(text string) { p.Say(text) }

// CopyCommand implements [app.Program].
func (p *program) CopyCommand(line *shell.Line) {
	text, err := line.For(shell.Of(os.Getenv("SHELL"), runtime.GOOS))
	if err != nil {
		p.Fail("No command for this: " + err.Error() + ".")
		return
	}
	p.do(copyText(copied{text: text, what: "command", needs: line.Variables()}, p.options.Clipboard))
}

// OpenPage implements [app.Program].
func (p *program) OpenPage(url string) {
	p.Say("opening your browser")
	p.Go(func(ctx context.Context) func() {
		err := browser.Open(ctx, url)
		return func() {
			if err != nil {
				p.Fail(err.Error())
			}
		}
	})
}

// EditText implements [app.Program]. The file has the mode 0600 and is removed afterwards.
func (p *program) EditText(text, suffix string, edited func(text string)) {
	p.Go(func(context.Context) func() {
		name, err := temporaryText(text, suffix)
		if err != nil {
			return func() { p.Fail(dialog.Sentence(err)) }
		}
		return func() {
			p.editor(func(err error) {
				p.Go(func(context.Context) func() {
					defer func() { _ = os.Remove(name) }()
					b, readErr := os.ReadFile(name)
					return func() {
						if err = cmp.Or(err, readErr); err != nil {
							p.Fail("The editor failed: " + err.Error())
							return
						}
						edited(strings.TrimRight(string(b), "\n"))
					}
				})
			}, name)
		}
	})
}

// temporaryText writes a text to a file of its own.
func temporaryText(text, suffix string) (name string, err error) {
	f, err := os.CreateTemp("", "mcptea-*"+suffix) // 0600
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// editor runs the user's editor; ended is called in Update.
func (p *program) editor(ended func(err error), args ...string) {
	cmd, err := terminal.EditorCommand(args...)
	if err != nil {
		ended(err)
		return
	}
	p.do(terminal.Lend(cmd, func(err error) tea.Msg { return done(func() { ended(err) }) }))
}

// maxTerminalCopy is the largest text, in bytes, that is sent to the terminal as
// OSC 52. Terminals drop longer sequences without a word; the limits known are
// between 75 kB and some megabytes of Base64.
const maxTerminalCopy = 1 << 20

// copied is a text for the clipboard. Bytes are text that is not made before it is copied;
// needs are the environment variables of a command.
type copied struct {
	text  string
	bytes []byte
	what  string // in the message
	needs []string
}

// copiedMsg reports what became of a text that was to be copied.
type copiedMsg struct {
	copied
	native   bool // the clipboard of the system has it
	terminal bool // the terminal was asked to take it
}

// copyText puts text on the clipboard of the system, where there is one on this
// machine, and asks the terminal to do so, which also works over ssh.
func copyText(c copied, write func(string) error) tea.Cmd {
	fits := len(c.text)+len(c.bytes) <= maxTerminalCopy
	done := func() tea.Msg {
		return copiedMsg{c, write != nil && write(c.text+string(c.bytes)) == nil, fits}
	}
	if !fits {
		return done
	}
	return tea.Batch(terminal.Write(ansi.SetSystemClipboard(c.text+string(c.bytes))), done)
}

// flash says what was copied, and by which way where that may fail.
func (msg copiedMsg) flash() flash {
	size := paint.HumanSize(int64(len(msg.text) + len(msg.bytes)))
	f := flash{text: fmt.Sprintf("Copied %s (%s).", msg.what, size)}
	switch {
	case msg.native:
	case msg.terminal:
		f.text = fmt.Sprintf("Copied %s (%s) through the terminal (OSC 52), which has to allow it.", msg.what, size)
	default:
		f = flash{text: fmt.Sprintf("Not copied: %s of %s is too large for the clipboard of a terminal (at most 1 MB).", msg.what, size), wrong: true}
	}
	if len(msg.needs) > 0 && !f.wrong {
		f.text += " Set " + strings.Join(msg.needs, ", ") + " before you run it."
	}
	return f
}

// SystemClipboard writes to the clipboard of this machine, with the programs that
// it has for that; nil without one, and over ssh, where it would be that
// of the wrong machine.
func SystemClipboard() func(string) error {
	if os.Getenv("SSH_CONNECTION") != "" || os.Getenv("SSH_TTY") != "" || clipboard.Unsupported {
		return nil
	}
	var one sync.Mutex // a program of one copy ends before that of the next begins
	return func(text string) error {
		one.Lock()
		defer one.Unlock()
		return clipboard.WriteAll(text)
	}
}
