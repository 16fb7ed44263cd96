package program

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/desktop"
	"mcptea/internal/system/argument"
	"mcptea/record/stderr"
	"mcptea/session/explain/card"
	"mcptea/session/question"
	"mcptea/ui/dialog"
	"mcptea/ui/terminal"
)

// EditorClosed reports that a file of the user may have changed.
type EditorClosed struct{}

// Go implements [app.Program].
func (p *Program) Go(work func(context.Context) func()) {
	p.Do(func() tea.Msg {
		if !p.begins() {
			return nil
		}
		defer p.Work.Done()
		return Done(work(p.Ctx))
	})
}

// begins counts work of [Program.Go]. It returns false if the program has ended. Bubble Tea drops
// the commands of the last messages, so work counts only when it starts here.
func (p *Program) begins() bool {
	p.ending.Lock()
	defer p.ending.Unlock()
	if p.ended {
		return false
	}
	p.Work.Add(1)
	return true
}

// Explain implements [app.Program].
func (p *Program) Explain(c card.Card) { dialog.Card(p, c) }

// OpenPage implements [app.Program].
func (p *Program) OpenPage(url string) {
	p.Say("opening your browser")
	p.Go(func(ctx context.Context) func() {
		err := desktop.Open(ctx, url)
		return func() {
			if err != nil {
				p.Fail(err.Error())
			}
		}
	})
}

// OpenSource implements [app.Program].
func (p *Program) OpenSource(at stderr.Source) {
	if at.Ran == "" {
		p.openSource(at)
		return
	}
	dialog.Consent{
		Text: question.Text{
			Facts: []question.Fact{{Label: "server ran in", Text: at.Ran}, {Label: "opens in", Text: "your editor"}},
			Name:  "file", Lines: []string{at.File}, Blanks: true,
		},
		Title: "Open this file?", Yes: "open", No: "do not open",
		Warnings: []string{"The recording names the file and the folder. The recording itself is in another folder."},
		Accept:   func() { p.openSource(at) },
	}.Open(p)
}

func (p *Program) openSource(at stderr.Source) {
	ended := func(err error) {
		if err != nil {
			p.Fail("The editor failed: " + err.Error())
			return
		}
		p.Screen.Receive(EditorClosed{})
	}
	arguments, err := terminal.AtLine(at.File, at.Line)
	if err != nil {
		ended(err)
		return
	}
	p.editor(ended, arguments...)
}

// EditText implements [app.Program]. The file has the mode 0600 and is removed afterwards.
func (p *Program) EditText(text, suffix string, edited func(text string)) {
	dialog.Try(p, func(context.Context) (string, error) { return temporaryText(text, suffix) }, func(name string) {
		file, err := argument.File(name)
		if err != nil {
			p.Fail("The editor failed: " + err.Error())
			return
		}
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
		}, file)
	})
}

// temporaryText writes a text to a new file.
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
func (p *Program) editor(ended func(err error), arguments ...argument.Argument) {
	cmd, err := terminal.EditorCommand(arguments...)
	if err != nil {
		ended(err)
		return
	}
	p.Do(terminal.Lend(cmd, func(err error) tea.Msg { return Owned{p, Done(func() { ended(err) })} }))
}
