package program

import (
	"context"

	"mcptea/themes"
)

// Settings are those of the user that a running program takes over when they are saved.
type Settings struct {
	Theme          string // as in [Options]
	NoMouse, Quiet bool
	Keys           map[string][]string
}

// Options are what the command line and config.yaml choose for every screen.
type Options struct {
	Theme  string // a theme's name; empty follows the terminal's background
	Themes *themes.Catalog
	Colors int  // how many the terminal has; 0 for all
	ASCII  bool // no character outside of ASCII in the program's own signs
	// NoMouse leaves the mouse to the terminal.
	NoMouse bool
	// Quiet has the terminal show no notifications.
	Quiet bool
	// Version is that of mcptea.
	Version string
	// Keys are the key bindings of the user, by the id of the command.
	Keys map[string][]string
	// Clipboard writes to the clipboard of the system; nil without one. It is
	// called from a goroutine of its own.
	Clipboard func(text string) error
	// Graphics allows to ask the terminal for graphics when a picture is shown.
	Graphics bool
	// Saved waits until the settings are saved, and returns them; the error, with file and line, is about what
	// was saved. nil where nothing is. It is called from a goroutine of its own.
	Saved func(ctx context.Context) (Settings, error)
	// Another shows the start screen above the session, at an entry of it if one is named; it does
	// not wait. nil when there is no such thing.
	Another func(entry string)
}
