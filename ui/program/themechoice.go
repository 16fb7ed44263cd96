package program

import "mcptea/ui/dialog"

// changeTheme uses the next theme.
func (p *Program) changeTheme() { p.useTheme(p.nextTheme(p.options)) }

// useTheme uses a theme until the program ends.
func (p *Program) useTheme(name string) {
	p.chosenTheme = name
	p.load(p.options)
	p.Retheme()
	p.Say("theme " + name + " until mcptea ends; theme: " + name + " in config.yaml keeps it")
}

// chooseTheme lists the themes. The window stays open, so that the user sees each.
func (p *Program) chooseTheme() {
	all := p.options.Themes.All()
	dialog.Choose{
		Title: "Theme", Verb: "use", Text: "Used until mcptea ends. The setting theme in config.yaml keeps one.",
		Len: func() int { return len(all) },
		Entry: func(i int) dialog.Entry {
			e := all[i]
			entry := dialog.Entry{Key: e.Name, Name: e.Name, Current: e.Name == p.Pal.Theme.Name}
			switch {
			case e.Err != nil:
				entry.Summary = e.Err.Error()
			case e.Dark:
				entry.Summary = "for dark terminals"
			default:
				entry.Summary = "for light terminals"
			}
			return entry
		},
		Stays:  func(int) bool { return true },
		Accept: func(i int) { p.useTheme(all[i].Name) },
	}.Open(p)
}
