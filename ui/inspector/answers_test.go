package inspector

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"mcptea/demo"
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
	"recording": {record: true, places: placesWith(map[string]string{"timeline": "9tt", "sequence": "9ttt", "frame": "9<enter>"})},
	"failed":    {session: picture{dial: dialProcess(exits, "node", "x.js")}, places: placesWith(map[string]string{"frame": "9<enter>"})},
	"empty":     {session: picture{serve: weather(map[string]string{"tools/list": `{"tools":[]}`})}, places: placesWith(nil)},
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

// at is a place of a session that a driver can open, again and again.
type at struct {
	*driver
	session, place string
	number         int // of the place in its session
	open           func()
}

// everywhere runs a test at each place, at one of two sizes by turns.
func everywhere(t *testing.T, test func(at)) {
	t.Setenv("VISUAL", "true") // an editor that ends at once
	recorded := recordDemo(t, func(d *driver) { d.press("2<enter>hello<enter>") })
	sizes := [][2]int{{80, 24}, {120, 36}}
	for name, s := range situations {
		for n, size := range sizes {
			t.Run(pictureName(name, size), func(t *testing.T) {
				script := func(d *driver) {
					for i, place := range slices.Sorted(maps.Keys(s.places)) {
						if *wholeMatrix || i%len(sizes) == n || len(s.places) == 1 {
							test(at{d, name, place, i, func() { d.leadTo(s.places[place]) }})
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

// stays reports whether the last key only said in the last row why it does nothing: the screen above
// is as before.
func (d *driver) stays(screen string) bool {
	above := func(screen string) string {
		return screen[:max(0, strings.LastIndexByte(strings.TrimRight(screen, "\n"), '\n'))]
	}
	return d.model.Flash.Text != "" && above(d.term.screen()) == above(screen)
}

// Each verb does something at each place, or says in the last row why not and where it works. By
// default the places have a quarter of the verbs each, by turns.
func TestKeys_EachVerbAnswers(t *testing.T) {
	names := []string{"/", "space", "]", "[", "enter"}
	for _, v := range keys.Verbs {
		if v.Verb != keys.Quit && v.Verb != keys.Restart {
			names = append(names, string(v.Verb))
		}
	}
	everywhere(t, func(p at) {
		open := false
		for i, name := range names {
			if !*wholeMatrix && (i+p.number)%4 != 0 {
				continue
			}
			if !open {
				p.open()
			}
			before := p.term.screen()
			if p.silent(name) {
				p.t.Errorf("%s: %s does nothing and says nothing:\n%s", p.place, name, p.term.screen())
			}
			open = p.stays(before)
		}
	})
}

// A key that nothing has says so, also in a window and in a text field that does not take it; a key that
// works elsewhere names each place once.
func TestKeys_WithoutACommandAnswer(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		for _, place := range []string{"2", "3", "9", "9t", "9tt", "c<esc>", "9y", "P"} {
			d.leadTo(place)
			for _, key := range []string{"Z", "$", "f7", "f9", "ctrl+g", "é"} {
				if d.press("<" + key + ">"); d.model.Flash.Text == "" {
					t.Errorf("%s: %s says nothing:\n%s", place, key, d.term.screen())
				}
			}
		}
		d.leadTo("1")
		d.press("Z")
		d.sees("Z does nothing here. ? lists the keys.")
		d.press("?<f7>")
		d.sees("f7 does nothing here.")
		d.leadTo("2/<f7>")
		d.sees("f7 does nothing here. It works in server.")
		d.leadTo("9<ctrl+r>")
		d.sees("ctrl+r does nothing here. It works in list, form, requests and more.")
	})
}

// A key that works elsewhere names the nearest place first, and never the place where one is.
func TestKeys_NearestPlaceFirst(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		for _, at := range []struct{ place, key, want string }{
			{"2", "m", "m does nothing here. It works in result, traffic, result of a task and more."},
			{"8", "d", "d does nothing here. It works in traffic, list, result and more."},
			{"2c<ctrl+s><tab>", "e", "e does nothing here. It works in composer, response, list and more."},
		} {
			d.leadTo(at.place)
			d.press(at.key)
			d.sees(at.want)
		}
	})
}

// R before the first frame of a recording says that it sends nothing again.
func TestRecording_BranchBeforeTheFirstFrame(t *testing.T) {
	driveRecording(t, 200, 36, foreignRecording(t, "node server.js"), func(d *driver) {
		d.press("9<home>")
		d.sees("R branch")
		d.press("R")
		d.sees("Continue before frame #1", "No frame is before #1, so none is sent again: the session is a new one.", "Connect to:", "node server.js")
	})
}

// The command of a place says that the user is there already; what goes there on the way to something
// else says nothing about it.
func TestArrive_OnlyByTheCommandOfThePlace(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.leadTo("VV")
		d.sees("This is the list of pins.")
		for _, keys := range []string{"22", "99"} { // the row of tabs marks them
			d.leadTo(keys)
			d.lacks("This is")
			d.sees("? keys")
		}
		d.leadTo("2/add<enter><enter>")
		d.palette("switch between the form and json")
		d.sees(`"a": null`)
		d.lacks("This is")
		d.leadTo("9")
		d.palette("filter the frames by words")
		d.lacks("This is")
		d.press("<esc>I") // to Intercept, where a breakpoint is added
		d.press("<enter><ctrl+u>method:ping<enter>")
		d.sees("b1  method:ping")
		d.lacks("This is")
	})
}
