// Package ui is the interactive face, as commands start it: the inspector, the start screen
// and the list of recordings, each with the keys of the user.
//
// Panes are below ui/pane. They paint on a canvas, list their commands as values, and ask
// the program for what only it can do ([mcptea/ui/app]). Frames never become Bubble Tea
// messages: the program is woken at most thirty times a second, and panes read snapshots of
// the store.
//
// # Charm
//
// Bubble Tea is the loop; Lip Gloss has the vocabulary of styles, the borders, and the tables and
// trees that commands print; Bubbles has key bindings, help, progress bars and the frames of
// spinners; Chroma has lexers. Text fields, lists, rows, boxes, windows and the renderer are own
// ones: those of Charm are 4 to 900 times slower here, as the benchmarks of
// ui/inspector/swap_test.go show, or change bytes of a text. Text fields keep each byte, lists read
// the rows in sight alone, rows sanitize all text, and the renderer (package terminal) sleeps while
// nothing changes.
package ui

import (
	"context"

	"mcptea/session/record/recordings"
	"mcptea/session/session"
	"mcptea/ui/inspector"
	"mcptea/ui/keys"
	"mcptea/ui/program"
	"mcptea/ui/sessions"
	"mcptea/ui/single"
)

type (
	// Options are what the command line and config.yaml choose.
	Options = inspector.Options
	// Own is what becomes commands because the user has written it.
	Own = inspector.Own
	// Lesson is what mcptea demo teaches.
	Lesson = inspector.Lesson
	// Step is one of a lesson.
	Step = inspector.Step
	// Draft is what the composer has at the start.
	Draft = inspector.Draft
	// ConnectTo is a target that the user has chosen in a recording.
	ConnectTo = inspector.ConnectTo
	// StartOptions are those of the start screen.
	StartOptions = single.StartOptions
	// Host has the terminal.
	Host = sessions.Host
	// Tap is a session of another application that can be shown.
	Tap = sessions.Tap
	// Chosen is what the user has chosen on the start screen.
	Chosen = single.Chosen
	// ChosenRecording is what the user has chosen in the list of recordings.
	ChosenRecording = single.ChosenRecording
)

// Run shows the inspector on a session, connects, and returns when the user quits; see
// [inspector.Run].
func Run(ctx context.Context, s *session.Session, o Options) (*ConnectTo, error) {
	return inspector.Run(ctx, s, o, sections(o.Own))
}

// Start shows the start screen, and returns what the user has chosen; nil if the user
// quits.
func Start(ctx context.Context, o Options, s StartOptions) (*Chosen, error) {
	return single.Start(ctx, o.Host, o.Options, s, sections(o.Own))
}

// ChooseRecording shows the list of recordings and returns the one that the user opens; see
// [single.ChooseRecording].
func ChooseRecording(ctx context.Context, c *recordings.Catalog, before ChosenRecording, o Options) (ChosenRecording, error) {
	return single.ChooseRecording(ctx, o.Host, c, before, o.Options, sections(o.Own))
}

// SystemClipboard writes to the clipboard of this machine; nil without one, see
// [program.SystemClipboard].
func SystemClipboard() func(string) error { return program.SystemClipboard() }

// CheckKeys reports the bindings of a user that no screen accepts. The error joins values of type
// *[keys.UserError].
func CheckKeys(user map[string][]string, own Own) error {
	if len(user) == 0 {
		return nil
	}
	all, err := sections(own)()
	if err != nil {
		return err
	}
	_, err = keys.NewMap(user, all)
	return err
}

// sections returns the commands of all screens, those of the user's own among them.
func sections(own Own) func() ([]keys.Section, error) {
	return func() ([]keys.Section, error) {
		all, err := inspector.Sections(own)
		if err != nil {
			return nil, err
		}
		return append(all, single.Sections()...), nil
	}
}
