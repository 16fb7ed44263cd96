package program

import (
	"cmp"
	"os"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
	"mcptea/themes"

	"mcptea/ui/paint"
	"mcptea/ui/terminal"
)

// appearance determines how a screen is painted: the theme, and what the terminal has reported about itself.
//
// The programs on a terminal share it.
type appearance struct {
	Pal         *paint.Palette
	js          paint.JSONStyles
	Dark        bool
	colors      int                     // number of colors of the terminal
	chosenTheme string                  // chosen while running
	loaded      themes.Theme            // newest theme that could be loaded,
	loadedAs    string                  // name under which it was loaded
	Pictures    *terminal.PictureScreen // nil if the terminal has no graphics
	Source      bool                    // Markdown is shown as its source
	noMouse     bool                    // the terminal has the mouse
	blurred     bool                    // the terminal has reported that its window does not have the focus
	drawing     sync.WaitGroup          // pictures that are encoded
}

// newAppearance returns the appearance for a dark terminal.
func newAppearance(o *Options) *appearance {
	return &appearance{Dark: true, colors: cmp.Or(o.Colors, 1<<24), noMouse: o.NoMouse}
}

// load loads the theme: the theme chosen at run time, the requested theme, or the theme that fits the
// terminal. If NO_COLOR (no-color.org) is set, it uses no colors.
func (a *appearance) load(o *Options) {
	name := o.Theme
	if name == "" && os.Getenv("NO_COLOR") != "" {
		name = "monochrome"
	}
	if a.chosenTheme != "" {
		name = a.chosenTheme
	}
	theme, err := o.Themes.Load(name, a.Dark)
	switch {
	case err == nil:
		a.loaded, a.loadedAs = theme, name
	case a.loaded.Name != "" && a.loadedAs == name: // its file now has an error
		theme = a.loaded
	default:
		theme = themes.ForBackground(a.Dark)
	}
	theme = theme.On(a.Dark).Limit(a.colors)
	a.Pal = paint.NewPalette(theme, o.ASCII)
	a.Pal.Source = a.Source
	if a.Pictures != nil && a.colors == 1<<24 && !o.ASCII {
		a.Pal.Pictures = a.Pictures
	}
	a.js = paint.NewJSONStyles(theme)
}

// nextTheme switches to the next theme and returns its name. Themes for the terminal's background, if known,
// come first; then those for the other background, which paint their own.
func (a *appearance) nextTheme(o *Options) string {
	names := o.Themes.For(a.Dark)
	for _, name := range o.Themes.For(!a.Dark) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	at := max(slices.Index(names, a.Pal.Theme.Name), 0)
	a.chosenTheme = names[(at+1)%len(names)]
	a.load(o)
	return a.chosenTheme
}

// reported stores what the terminal reports about itself: its background, whether its window has the focus, its
// number of colors, and whether it measures text by graphemes. It returns whether the screen now looks
// different.
func (a *appearance) reported(msg tea.Msg, o *Options) (changed bool) {
	dark, colors := a.Dark, a.colors
	switch msg := msg.(type) {
	case tea.FocusMsg:
		a.blurred = false
	case tea.BlurMsg:
		a.blurred = true
	case uv.DarkColorSchemeEvent:
		dark = true
	case uv.LightColorSchemeEvent:
		dark = false
	case tea.BackgroundColorMsg:
		dark = msg.IsDark()
	case tea.ColorProfileMsg:
		colors = terminal.CountColors(msg.Profile)
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore {
			display.UseGraphemes(terminal.HasGraphemes(msg))
			return true
		}
	}
	if dark == a.Dark && colors == a.colors {
		return false
	}
	a.Dark, a.colors = dark, colors
	a.load(o)
	return true
}
