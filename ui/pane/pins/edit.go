package pins

import (
	"maps"
	"slices"
	"strings"

	"mcptea/internal/words/display"
	"mcptea/session/runs/pins"
	"mcptea/session/runs/script"
	"mcptea/ui/dialog"
)

// edit asks for another request of a pin. The line already has the new names of properties renamed since a
// restart: the user sees them, and agrees with enter.
func (p *Pane) edit(one *pins.Pin) {
	name, line, renamed := one.Name, one.Line, p.renamed(one)
	text := "The request of " + display.Sanitize(name) + ", as the file has it."
	if now := script.WithProperties(line, renamed); now != line {
		var moved []string
		for _, old := range slices.Sorted(maps.Keys(renamed)) {
			if script.WithProperties(one.Line, map[string]string{old: renamed[old]}) == one.Line {
				continue
			}
			moved = append(moved, display.Sanitize(old)+" is "+display.Sanitize(renamed[old])+" now")
		}
		line, text = now, text+" "+strings.Join(moved, ", ")+": the line has the new name."
	}
	dialog.Prompt{
		Title: "Edit a pin", Text: text, Value: line, Verb: "save",
		Accept: func(line string) (func(), error) {
			return func() {
				p.change("Pin "+display.Sanitize(name)+" changed in "+p.file()+". "+p.app.Key("pin.run")+" runs it.", func() (string, error) { return "", p.pins.Edit(name, line) })
			}, nil
		},
	}.Open(p.app)
}

// renamed maps the old names of properties of a pin's tool to the new names since a restart.
func (p *Pane) renamed(one *pins.Pin) map[string]string {
	if one.Method != "tools/call" {
		return nil
	}
	return p.tick.State.Changes.Properties("tools", one.Subject)
}
