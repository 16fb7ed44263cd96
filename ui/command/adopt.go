package command

import "mcptea/ui/keys"

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
			all = append(all[:len(all):len(all)], row{ID(k.ID), at(a.Context), k.All(), k.Label, k.Help, k.Footer, k.Words})
		}
	}
	return all
}
