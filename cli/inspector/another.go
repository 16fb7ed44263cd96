package inspector

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/session/explain/card"
	"mcptea/session/runs/pins"
	"mcptea/ui/program"
)

// another shows the start screen above the sessions, and opens the choice of the user as another session.
func (p *Inspector) another(entry string) {
	p.beside(func(q *Inspector) error { return q.startScreen(entry, "", nil) })
}

// beside runs show in a separate run on the same terminal, next to the other sessions. Flags and variables of
// the other sessions do not apply, except for the path of the settings and the choice not to record.
func (p *Inspector) beside(show func(q *Inspector) error) {
	printed := &app.Printed{}
	a := p.Hosted(printed)
	a.Env = settings.WithoutTarget(a.Env)
	q := p.Fresh(a)
	q.hosted = true
	if record, _ := p.Recording(); record == "off" {
		a.Args = append(a.Args, "--record=off")
	}
	if p.Flags.Config != "" {
		a.Args = append(a.Args, "--config="+p.Flags.Config)
	}
	if p.ASCII {
		a.Args = append(a.Args, "--ascii")
	}
	p.Host.Go(func() {
		if err := show(q); err != nil {
			q.Report(err)
		}
		q.leave()
		if text := printed.Take(); q.shown {
			fmt.Fprint(p.Notes, text)
		} else {
			p.tell(text)
		}
	})
}

// tell shows the output of a run, in a window while the terminal is taken.
func (p *Inspector) tell(text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	shown := p.Host.Tell(func(on *program.Program) {
		on.Explain(card.Card{Title: "mcptea", What: strings.Split(strings.TrimPrefix(text, "mcptea: "), "\n")})
	})
	if !shown {
		fmt.Fprintln(p.Notes, text)
	}
}

// working is held while a run is in its own directory: the process has one working directory, which the live
// sessions use.
var working sync.Mutex

// enter changes to the directory of the run. A run beside others changes back when it has its session: by then
// the named files were read, and the server gets the directory.
func (p *Inspector) enter(dir string) error {
	if !p.hosted {
		return os.Chdir(dir)
	}
	working.Lock()
	before, err := os.Getwd()
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		working.Unlock()
		return err
	}
	p.dir, p.leaves = dir, sync.OnceFunc(func() {
		_ = os.Chdir(before) // the directory existed
		working.Unlock()
	})
	return nil
}

// leave leaves the directory that was entered.
func (p *Inspector) leave() {
	if p.leaves != nil {
		p.leaves()
	}
}

// pinsFile returns the file of the pins; empty for the usual one of the working directory.
func (p *Inspector) pinsFile() string {
	switch file := p.Flags.Pins; {
	case p.dir == "" || filepath.IsAbs(file):
		return file
	case file == "":
		return filepath.Join(p.dir, pins.DefaultFile)
	default:
		return filepath.Join(p.dir, file)
	}
}

// serverName returns the user's name for the server, or "".
func (p *Inspector) serverName() string {
	if p.Shown != nil {
		return p.Shown.Name
	}
	if p.Flags.Entry != nil {
		return p.Flags.Entry.Name
	}
	return p.called
}
