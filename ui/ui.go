// Package ui is the interactive interface as commands start it: the inspector, the start screen and the list of
// recordings, each with the user's key bindings.
//
// Panes are below ui/pane. They paint on a canvas, list their commands as values, and request from the program
// what only it can do ([mcptea/ui/app]). Frames never become Bubble Tea messages: the program wakes at most
// thirty times a second, and panes read snapshots of the store.
//
// # Charm
//
// Bubble Tea is the loop. Lip Gloss provides styles, borders, and the tables and trees that commands print.
// Bubbles provides key bindings, help, progress bars and the frames of spinners. Chroma provides lexers. Text
// fields, lists, rows, boxes, windows and the renderer are our own: Charm's are 4 to 900 times slower here, as
// the benchmarks of ui/inspector/swap_test.go show, or change bytes of a text. Our text fields keep each byte,
// lists read only the visible rows, rows sanitize all text, and the renderer (package terminal) sleeps while
// nothing changes.
package ui

import (
	"context"

	"mcptea/record/recordings"
	"mcptea/session/session"
	"mcptea/ui/inspector"
	"mcptea/ui/keys"
	"mcptea/ui/program"
	"mcptea/ui/sessions"
	"mcptea/ui/single"
)

type (
	// Options holds the settings from the command line and config.yaml.
	Options = inspector.Options
	// Own holds the user's own definitions, which become commands.
	Own = inspector.Own
	// A Lesson is a lesson of mcptea demo.
	Lesson = inspector.Lesson
	// A Step is a step of a lesson.
	Step = inspector.Step
	// A Draft is the initial content of the composer.
	Draft = inspector.Draft
	// ConnectTo is a target that the user has chosen in a recording.
	ConnectTo = inspector.ConnectTo
	// StartOptions configures the start screen.
	StartOptions = single.StartOptions
	// Host has the terminal.
	Host = sessions.Host
	// Tap is a session of another application that can be shown.
	Tap = sessions.Tap
	// Chosen is the user's choice on the start screen.
	Chosen = single.Chosen
	// ChosenRecording is the user's choice in the list of recordings.
	ChosenRecording = single.ChosenRecording
)

// Run shows the inspector on a session, connects, and returns when the user quits; see
// [inspector.Run].
func Run(ctx context.Context, s *session.Session, o Options) (*ConnectTo, error) {
	return inspector.Run(ctx, s, o, sections(o.Own))
}

// Start displays the start screen, and returns the choice of the user, or nil if the user quits.
func Start(ctx context.Context, o Options, s StartOptions) (*Chosen, error) {
	return single.Start(ctx, o.Host, o.Options, s, sections(o.Own))
}

// ChooseRecording shows the list of recordings and returns the recording that the user opens; see
// [single.ChooseRecording].
func ChooseRecording(ctx context.Context, c *recordings.Catalog, before ChosenRecording, o Options) (ChosenRecording, error) {
	return single.ChooseRecording(ctx, o.Host, c, before, o.Options, sections(o.Own))
}

// SystemClipboard returns a function that writes to this machine's clipboard, or nil; see
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

// sections returns the commands of all screens, including the user's own.
func sections(own Own) func() ([]keys.Section, error) {
	return func() ([]keys.Section, error) {
		all, err := inspector.Sections(own)
		if err != nil {
			return nil, err
		}
		return append(all, single.Sections()...), nil
	}
}
