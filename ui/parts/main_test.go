package parts

import (
	"os"
	"testing"

	"mcptea/internal/test/raced"
)

func TestMain(m *testing.M) {
	raced.OthersByNight("one goroutine draws; windows and pictures, which work beside it, are named where they are tested")
	os.Exit(m.Run())
}
