package ui

import "mcptea/ui/keys"

// Sections are all commands of the program, by the parts of it that can have the focus,
// for docs/keys.md and for the keys of the user.
func Sections() []keys.Section {
	p := &program{}
	everywhere := p.everywhere()
	for i := range keys.Motions {
		everywhere = append(everywhere, keys.Motions[i].Command)
	}
	return []keys.Section{{Name: everywhereName, Commands: everywhere}}
}
