package server

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcptea/themes"
	"mcptea/ui/paint"
)

// reportWidth is where the lines of a copied report break. It stays below the
// width of two columns.
const reportWidth = 120

// Report is the page as plain text, to be pasted into an issue. It is made the
// way the page is, so that nothing is in it that was not on the screen.
func (p *Pane) Report() string {
	pal := paint.NewPalette(themes.ForBackground(true), false)
	title, _ := p.title(pal)
	var b strings.Builder
	fmt.Fprintf(&b, "%s   attempt %d   %s\n\n", title[0].Text, p.st.Attempt, p.st.Started.Format("2006-01-02 15:04:05 -0700"))
	pg := p.compose(&sheet{pal: pal, w: reportWidth, quiet: true, key: p.app.Key})
	var r paint.Row
	for i := range pg.height() {
		b.WriteString(strings.TrimRight(ansi.Strip(pg.row(&r, i, 0)), " "))
		b.WriteByte('\n')
	}
	return b.String()
}
