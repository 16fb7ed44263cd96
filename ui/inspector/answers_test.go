package inspector

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mcptea/ui/keys"
)

// situation is a session, and the keys that lead to the places on its screen that can have the focus.
type situation struct {
	session picture
	record  bool // what is driven is a recording of it
	places  map[string]string
}

var situations = map[string]situation{
	"demo": {places: placesWith(map[string]string{
		"called": "/echo<enter><enter>hi<enter>2", "result": "/echo<enter><enter>hi<enter><ctrl+o>",
		"resource": "3<enter>", "pins": "V", "composer": "c", "timeline": "9tt", "sequence": "9ttt", "frame": "9<enter>",
	})},
	"recording":     {record: true, places: placesWith(map[string]string{"timeline": "9tt", "sequence": "9ttt", "frame": "9<enter>"})},
	"failed":        {session: picture{dial: dialProcess(exits, "node", "x.js")}, places: placesWith(map[string]string{"frame": "9<enter>"})},
	"empty":         {session: picture{serve: weather(map[string]string{"tools/list": `{"tools":[]}`})}, places: placesWith(nil)},
	"two servers":   {session: picture{serve: twoBuilds()}, places: map[string]string{"compared": "2C<enter>"}},
	"second failed": {session: picture{serve: onlyOnce()}, places: map[string]string{"compared": "2C<enter>"}},
}

// onlyOnce is a server of which a second process ends at once.
func onlyOnce() func(context.Context, io.Reader, io.Writer) error {
	var started atomic.Int32
	serve := weather(nil)
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		if started.Add(1) > 1 {
			return nil
		}
		return serve(ctx, in, out)
	}
}

// placesWith are the tabs, and further places.
func placesWith(more map[string]string) map[string]string {
	places := map[string]string{}
	for _, tab := range strings.Split("1234567890I9", "") {
		places["tab "+tab] = tab
	}
	maps.Copy(places, more)
	return places
}

// everywhere runs a test at each place, at one of two sizes by turns.
func everywhere(t *testing.T, test func(d *driver, place string, open func())) {
	t.Setenv("VISUAL", "true") // an editor that ends at once
	recorded := recordDemo(t, func(d *driver) { d.press("2<enter>hello<enter>") })
	sizes := [][2]int{{80, 24}, {120, 36}}
	for name, s := range situations {
		for n, size := range sizes {
			t.Run(pictureName(name, size), func(t *testing.T) {
				script := func(d *driver) {
					for i, place := range slices.Sorted(maps.Keys(s.places)) {
						if *wholeMatrix || i%len(sizes) == n || len(s.places) == 1 {
							test(d, place, func() { d.leadTo(s.places[place]) })
						}
					}
				}
				if s.record {
					driveRecording(t, size[0], size[1], recorded, script)
					return
				}
				s.session.keys = func(*driver) {}
				s.session.run(t, size[0], size[1], script)
			})
		}
	}
}

// leadTo leads to a place from anywhere.
func (d *driver) leadTo(keys string) {
	for n := 0; n < 9 && (d.model.Window() != nil || d.model.Painted.Field() != nil || d.model.zoom); n++ {
		d.press("<esc>")
	}
	d.press("<esc><esc><esc>2" + keys)
}

// silent reports whether a key does nothing and says nothing.
func (d *driver) silent(key string) bool {
	before := d.term.screen()
	d.press("<" + key + ">")
	return d.term.screen() == before && d.model.Flash.Text == ""
}

// Each verb does something at each place, or says in the last row why not and where it works.
func TestKeys_EachVerbAnswers(t *testing.T) {
	names := []string{"/", "space", "]", "[", "enter"}
	for _, v := range keys.Verbs {
		if v.Verb != keys.Quit && v.Verb != keys.Restart {
			names = append(names, string(v.Verb))
		}
	}
	everywhere(t, func(d *driver, place string, open func()) {
		for _, name := range names {
			open()
			if d.silent(name) {
				d.t.Errorf("%s: %s does nothing and says nothing:\n%s", place, name, d.term.screen())
			}
		}
	})
}

// Each key that the last row names does something.
func TestKeys_EachKeyOfTheFooterActs(t *testing.T) {
	everywhere(t, func(d *driver, place string, open func()) {
		open()
		footer := d.footer()
		for _, b := range d.model.ShortHelp() {
			if !b.Enabled() || !strings.Contains(footer, b.Help().Key+" "+b.Help().Desc) || b.Help().Desc == "quit" || b.Help().Desc == "restart" || b.Help().Desc == "$EDITOR" {
				continue
			}
			open()
			if d.silent(b.Keys()[0]) {
				d.t.Errorf("%s: %s does nothing:\n%s", place, b.Help(), d.term.screen())
			}
		}
	})
}
