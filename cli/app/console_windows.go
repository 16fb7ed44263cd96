package app

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableEscapes makes the console interpret escape sequences, which consoles before Windows Terminal do only on
// request. An error means that f is not a console.
func enableEscapes(f *os.File) {
	var mode uint32
	h := windows.Handle(f.Fd())
	if windows.GetConsoleMode(h, &mode) == nil {
		_ = windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	}
}
