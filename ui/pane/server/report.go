package server

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// reportWidth is the line length of a copied report. It is below the width of two columns.
const reportWidth = 120

// Report returns the page as plain text, for pasting into an issue. It is generated like the page, so that it
// contains only what was on the screen.
func (p *Pane) Report() string {
	p.reporting = true
	defer func() { p.reporting = false }()
	s := app.Screen{Pal: paint.NewPalette(themes.ForBackground(true), false), Names: noNames{}}
	var b strings.Builder
	fmt.Fprintf(&b, "%s   attempt %d   %s\n\n", p.title(), p.st.Attempt, p.st.Started.Format("2006-01-02 15:04:05 -0700"))
	for _, row := range doc.Rows(&s, reportWidth+2, p.compose) {
		b.WriteString(strings.TrimRight(strings.TrimPrefix(ansi.Strip(row), " "), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// noNames names no keys: a report is read elsewhere.
type noNames struct{}

func (noNames) Name(string) string { return "" }
func (noNames) Works(string) bool  { return false }
func (noNames) Run(string)         {}

func (n noNames) In(func() [][]keys.Command, bool) keys.Names { return n }
