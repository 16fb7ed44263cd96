package parts

import (
	"os"
	"runtime/debug"
	"testing"

	"mcptea/internal/test/raced"
)

func TestMain(m *testing.M) {
	// Heaps of a few MB are collected all the time, which is a sixth of the processor time.
	debug.SetGCPercent(400)
	raced.OthersByNight("one goroutine draws; windows and pictures, which work beside it, are named where they are tested")
	os.Exit(m.Run())
}
