package inspector

import (
	"strings"
	"testing"

	"mcptea/demo"
)

// Each key of the part with the focus acts, or says in one line why not. What folds may have nothing left
// to fold.
func TestKeys_ActOrSayWhyNot(t *testing.T) {
	if !*wholeMatrix {
		t.Skip("with -all")
	}
	for _, keys := range []string{
		"2<enter>hi<enter>", "2<enter>hi<enter><esc><esc>", "9", "9G]", "9Gt", "9Gtt", "8", "6", "3", "3<enter>", "4", "5", "7", "0", "0<enter>",
		"1", "2P", "cping<ctrl+s>", "cping<ctrl+s><tab>",
	} {
		t.Run(keys, func(t *testing.T) {
			var ids []string
			drive(t, 120, 36, demo.Options{}, func(d *driver) {
				d.press(keys)
				d.settle()
				for _, c := range d.model.Focused().Commands() {
					if c.Why() == "" && len(d.model.Keys.Of(&c)) > 0 && !strings.HasPrefix(c.ID, "fold.") {
						ids = append(ids, c.ID)
					}
				}
			})
			for _, id := range ids {
				drive(t, 120, 36, demo.Options{}, func(d *driver) {
					d.press(keys)
					d.settle()
					before := d.term.screen()
					if d.command(id); d.term.screen() == before && d.model.Flash.Text == "" {
						t.Errorf("the key of %s does nothing, and does not say why", id)
					}
				})
			}
		})
	}
}
