package servers

import (
	"context"
	"errors"
	"fmt"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/client/hosts"
	"mcptea/internal/system"
	"mcptea/ui/dialog"
	"mcptea/ui/pane/start"
)

// Tap returns what the start screen does with a configured server, found from a directory: mcptea servers
// wrap, or unwrap, with the question on the screen. nil if that is not possible.
func Tap(a *app.App, dir string, s *hosts.Server) *start.Tap {
	if !s.Loaded || !s.Usable() && !s.Wrapped || s.Host == settings.OwnHost || s.Scope == hosts.Managed || s.Scope == hosts.Plugin || s.Extension {
		return nil
	}
	t := &start.Tap{Verb: "record with tap"}
	if s.Wrapped {
		t.Verb = "stop recording"
	}
	t.Change = func(context.Context) (*start.Change, error) {
		state, err := system.StateDir()
		if err != nil {
			return nil, noBackup(err)
		}
		e := &hostEdit{p: &edits{a}, wraps: !s.Wrapped, onScreen: true, id: s.ID(), file: s.Source.File, dir: dir, journal: target.JournalIn(state)}
		edit, err := e.edit()
		if err != nil {
			return nil, whole(e.refused(err))
		}
		c := &start.Change{Question: e.question(edit)}
		c.Write = func() (string, error) {
			if err := e.apply(edit); err != nil {
				return "", whole(err)
			}
			return fmt.Sprintf("Wrote %s. %s", target.ShortPath(e.machine, edit.File), c.Question.Notes[len(c.Question.Notes)-1]), nil
		}
		return c, nil
	}
	return t
}

// whole returns an error with its hint as one text.
func whole(err error) error {
	if e := (*app.Error)(nil); errors.As(err, &e) && e.Hint != "" {
		return errors.New(dialog.Sentence(err) + " " + e.Hint)
	}
	return err
}

func noBackup(err error) error {
	return app.Failed("cannot keep a backup of the configuration: %v", err)
}
