package command

import (
	"slices"

	"mcptea/ui/keys"
)

// Adopted are the commands of a pane that has them as values.
type Adopted struct {
	Context  Context
	Commands []keys.Command
}

// adopted lists them, when the first key map is made.
var adopted = func() []Adopted { return nil }

// Adopt says which panes have their commands as values. It is called before the first key
// map is made.
func Adopt(list func() []Adopted) { adopted = list }

// rows are the table and the adopted commands.
func rows() []row {
	all := table
	for _, a := range adopted() {
		for _, k := range a.Commands {
			on := k.All()
			if HasText(a.Context) {
				on = slices.DeleteFunc(on, IsText) // a letter is text there
			}
			all = append(all[:len(all):len(all)], row{ID(k.ID), at(a.Context), on, k.Label, k.Help, k.Footer, k.Words})
		}
	}
	return all
}

// AdoptedContexts are the contexts of those panes.
func AdoptedContexts() (all []Context) {
	for _, a := range adopted() {
		all = append(all, a.Context)
	}
	return all
}

// isAdopted reports whether a command is one of a pane that has them as values.
func isAdopted(c Command) bool {
	for _, a := range adopted() {
		if a.Context == c.Context {
			return true
		}
	}
	return false
}
