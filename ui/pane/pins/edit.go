package pins

import (
	"maps"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/session/offer/diff"
	"mcptea/session/runs/pins"
	"mcptea/ui/dialog"
)

// edit asks for another request of a pin. Properties that have another name since a restart have that in the
// line already: the user sees it, and agrees with enter.
func (p *Pane) edit(one *pins.Pin) {
	name, line, renamed := one.Name, one.Line, p.renamed(one)
	text := "The request of " + display.Sanitize(name) + ", as the file has it."
	if now := withNames(line, renamed); now != line {
		var moved []string
		for _, old := range slices.Sorted(maps.Keys(renamed)) {
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

// renamed are the properties of the tool of a pin that have another name since a restart, by their old names.
func (p *Pane) renamed(one *pins.Pin) map[string]string {
	if one.Method != "tools/call" {
		return nil
	}
	for _, it := range p.tick.State.Changes.In("tools") {
		if it.Key == one.Subject && it.Old != nil && it.New != nil {
			return diff.RenamedProperties(jsonrpc.Get(it.Old, "inputSchema"), jsonrpc.Get(it.New, "inputSchema"))
		}
	}
	return nil
}

// withNames is a line of a request whose arguments have other names: those of a JSON object, or of words such as
// q=needle.
func withNames(line string, renamed map[string]string) string {
	if len(renamed) == 0 {
		return line
	}
	if at := strings.IndexByte(line, '{'); at >= 0 {
		var members []string
		for name, value := range jsonrpc.Members([]byte(line[at:])) {
			if now, ok := renamed[string(name)]; ok {
				name = []byte(now)
			}
			members = append(members, jsonrpc.Quote(string(name))+":"+string(value))
		}
		if members == nil {
			return line
		}
		return line[:at] + "{" + strings.Join(members, ",") + "}"
	}
	words := strings.Split(line, " ")
	for i, word := range words {
		if name, value, ok := strings.Cut(word, "="); ok && renamed[name] != "" {
			words[i] = renamed[name] + "=" + value
		}
	}
	return strings.Join(words, " ")
}
