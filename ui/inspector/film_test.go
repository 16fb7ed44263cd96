package inspector

import (
	"testing"
	"time"

	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/termsvg"
)

// filming is a driver whose screens are recorded while its script runs.
type filming struct {
	*driver
	film termsvg.Film
}

// frameTime is that of a frame of the film, and of a letter that is typed.
const frameTime = 100 * time.Millisecond

// hold records the screen for a time.
func (f *filming) hold(d time.Duration) {
	for ; d > 0; d -= frameTime {
		screen := f.capture()
		stopSpinners(screen, f.model.Pal.Glyphs.Spinner)
		f.film.Add(screen, frameTime)
		f.sleep(frameTime)
	}
}

// run presses the key of a command and records what it does.
func (f *filming) run(id string, d time.Duration) {
	f.t.Helper()
	f.pressKeyOf(id)
	f.sleep(2 * frameTime) // clocks move together: from then on every run shows the same
	f.hold(d)
}

func (f *filming) write(text string) {
	for _, letter := range text {
		f.program.Send(pressKey(string(letter)))
		f.hold(frameTime)
	}
}

// TestScreens_Film makes the animation of the README: a tool call with progress, its
// frames, and a request by hand.
func TestScreens_Film(t *testing.T) {
	raced.Never(t, "draws screens, cell by cell, in one goroutine")
	driveServer(t, 110, 32, serveSlowed(demo.Options{}), func(d *driver) {
		f := &filming{driver: d}
		f.film.Title = "mcptea: a tool call with progress, its frames, and a request by hand"
		f.hold(1500 * time.Millisecond)
		f.run("filter", 300*time.Millisecond)
		f.write("long")
		f.run("filter.apply", 500*time.Millisecond)
		f.run("item.open", 700*time.Millisecond)
		f.write("4")
		f.run("call.send", 3*time.Second)
		f.film.Poster = f.film.Length() - frameTime
		f.hold(2500 * time.Millisecond)
		f.run("result", 300*time.Millisecond)
		f.run("frame", 1500*time.Millisecond)
		f.run("frame.pair", 1200*time.Millisecond)
		f.run("edit", 1500*time.Millisecond)
		f.run("send", 2*time.Second)
		requirePicture(t, "film", f.film.SVG(), d.term.screen())
	})
}
