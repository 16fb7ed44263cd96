package cli

import (
	"bytes"
	"fmt"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/internal/words/display"
	"mcptea/themes"
	"mcptea/ui/paint"
	"mcptea/ui/terminal"
)

func (p *configCommand) themesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "themes [NAME]",
		Short: "List the color themes, or print one",
		Long: `List the color themes of the inspector with a sample of each. With a NAME, print the theme as a file to start from.

A theme without -dark or -light is a family: gruvbox is gruvbox-dark or gruvbox-light, by the background of the terminal. "auto" is dark or light.

Your themes are the files NAME.yaml and NAME.json in the directory themes of the configuration directory. With "inherits: nord", a file contains only the differences from another theme.`,
		Example: `  mcptea config themes
  mcptea --theme gruvbox demo
  mcptea config themes nord > ~/.config/mcptea/themes/mine.yaml
  mcptea config themes --json | jq -r '.[].name'`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return settings.ThemeCatalog().Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: p.RunE(func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return p.listThemes()
			case 1:
				return p.printTheme(args[0])
			}
			return app.Usage("mcptea config themes NAME", "themes takes one name, found %d", len(args))
		}),
	}
	p.AddOutput(cmd)
	return cmd
}

// themeDocument is an entry in the output of config themes --json.
type themeDocument struct {
	Name       string `json:"name"`                 // name, as for --theme
	Dark       bool   `json:"dark"`                 // the theme is for dark terminals
	Background string `json:"background,omitempty"` // color of its own
	Path       string `json:"path,omitempty"`       // file of a user's theme
	Error      string `json:"error,omitempty"`      // why the file cannot be used
}

func (p *configCommand) listThemes() error {
	all := settings.ThemeCatalog().All()
	if p.JSON {
		documents := make([]themeDocument, 0, len(all))
		for _, e := range all {
			d := themeDocument{Name: e.Name, Dark: e.Dark, Background: e.Background, Path: e.Path}
			if e.Err != nil {
				d.Error = e.Err.Error()
			}
			documents = append(documents, d)
		}
		return p.PrintDocument(documents)
	}
	failed := false
	t := app.Table{Out: p.Out, Looks: []lipgloss.Style{app.Name}, Wrap: true}
	for _, e := range all {
		if e.Err != nil {
			failed = true
			fmt.Fprintf(p.Err, "%s %s\n", p.Err.Bad("mcptea:"), p.Err.Safe(e.Err.Error()))
			continue
		}
		row := []string{display.Sanitize(e.Name), themeBackground(e.Theme)}
		if sample := p.sample(e.Theme); sample != "" {
			row = append(row, sample)
		}
		if e.Path != "" {
			row = append(row, p.Out.Safe(e.Path))
		}
		t.Painted(row...)
	}
	t.Print()
	if failed {
		return app.Silent(app.ExitError)
	}
	return nil
}

func themeBackground(t themes.Theme) string {
	switch {
	case !t.Colored():
		return "no colors"
	case t.Background == "" && t.Dark:
		return "for dark terminals"
	case t.Background == "":
		return "for light terminals"
	case t.Dark:
		return "dark background"
	}
	return "light background"
}

// sample displays the colors of a theme, or is empty if there are no colors.
func (p *configCommand) sample(t themes.Theme) string {
	if !p.Out.Colors && (p.Out.Profile < colorprofile.ASCII || t.Colored()) {
		return ""
	}
	pal := paint.NewPalette(t.On(!t.Dark).Limit(terminal.CountColors(p.Out.Profile)), p.ASCII)
	const width = 40
	var r paint.Row
	r.Start(width, paint.Style{})
	for i, s := range []paint.Span{
		{Style: pal.Text, Text: "text"},
		{Style: pal.Muted, Text: "muted"},
		{Style: pal.Accent, Text: "key"},
		{Style: pal.OK, Text: "ok"},
		{Style: pal.Warn, Text: "warning"},
		{Style: pal.Error, Text: "error"},
		{Style: pal.Text.On(pal.Selected), Text: "selected"},
	} {
		if i > 0 {
			r.Put(paint.Style{}, " ")
		}
		r.Put(s.Style, s.Text)
	}
	var b bytes.Buffer
	w := colorprofile.Writer{Forward: &b, Profile: p.Out.Profile}
	if _, err := w.WriteString(pal.Under([]string{r.String()})[0]); err != nil {
		return "" // a buffer never returns an error
	}
	return b.String()
}

func (p *configCommand) printTheme(name string) error {
	text, err := settings.ThemeCatalog().Source(name)
	if err != nil {
		return app.Usage("mcptea config themes lists the themes.", "%v", err)
	}
	_, err = p.Out.Write([]byte(p.Out.Untrusted(string(text))))
	return err
}
