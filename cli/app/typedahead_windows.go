package app

import (
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// dropInput drops the text that waits in a console, and reports whether more arrived within a pause.
func dropInput(in *os.File, pause time.Duration) (more bool) {
	h := windows.Handle(in.Fd())
	if windows.FlushConsoleInputBuffer(h) != nil {
		return false // the input is not a console
	}
	event, err := windows.WaitForSingleObject(h, uint32(pause.Milliseconds())) //nolint:gosec // it is short
	_ = windows.FlushConsoleInputBuffer(h)
	return err == nil && event == windows.WAIT_OBJECT_0
}
