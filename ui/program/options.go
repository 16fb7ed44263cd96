package program

import (
	"context"

	"mcptea/themes"
)

// Settings holds the user's settings that a running program applies when they are saved.
type Settings struct {
	Theme          string // as in [Options]
	NoMouse, Quiet bool
	Keys           map[string][]string
	// Own holds the ids of the commands and filters that the user has written. The program reads them when it starts.
	Own []string
}

// Options holds the settings from the command line and config.yaml for every screen.
type Options struct {
	Theme  string // a theme's name; empty follows the terminal's background
	Themes *themes.Catalog
	Colors int  // number of colors of the terminal, or 0 for all
	ASCII  bool // only ASCII in the program's own signs
	// NoMouse leaves the mouse to the terminal.
	NoMouse bool
	// Quiet suppresses terminal notifications.
	Quiet bool
	// Version is the version of mcptea.
	Version string
	// Keys holds the user's key bindings, by the id of the command.
	Keys map[string][]string
	// Clipboard writes to the system's clipboard, or is nil. It is called on its own goroutine.
	Clipboard func(text string) error
	// Graphics permits querying the terminal for graphics when a picture is shown.
	Graphics bool
	// Saved waits until the settings are saved, and returns them. The error is about the saved file, with its
	// line. Saved is nil if there is no file, and is called on its own goroutine.
	Saved func(ctx context.Context) (Settings, error)
	// Another shows the start screen above the session, with an entry selected if one is named; it does not
	// wait. It is nil if there is no start screen.
	Another func(entry string)
}
