package use

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"mcptea/check/modelview"
	"mcptea/cli/app"
	"mcptea/internal/words/phrase"
)

// allHosts is the value of --as for all hosts.
const allHosts = "all"

// ModelViews is the output of info --as all --json.
type ModelViews struct {
	Hosts []ModelView `json:"hosts"` // hosts in the order of the help
	Lost  int         `json:"lost"`  // tools that at least one of the hosts loses
}

// infoAsAll implements mcptea info --as all: the outcome for each tool in each host.
func (p *commands) infoAsAll(cmd *cobra.Command, args []string) error {
	return p.withTools(cmd, args, func(named string, server modelview.Server) (misfit string, err error) {
		m := modelview.BuildAll(server)
		if p.JSON {
			doc := ModelViews{Hosts: []ModelView{}, Lost: m.Lost}
			for i := range m.Reports {
				doc.Hosts = append(doc.Hosts, viewOf(&m.Reports[i]))
			}
			err = p.PrintDocument(doc)
		} else {
			p.printMatrix(&m)
		}
		if m.Lost > 0 {
			misfit = fmt.Sprintf("hosts lose %s of %s", phrase.Count(m.Lost, "tool"), p.Err.Safe(named))
		}
		return misfit, err
	})
}

// Signs of cells, and their legend.
var (
	signsOfCells = map[modelview.Cell]string{modelview.Given: "✓", modelview.Warned: "~", modelview.LeftOut: "✗", modelview.Refused: "all", modelview.NoList: "all", modelview.LostWith: "·", modelview.Withheld: "app"}
	legend       = "✓ given   ~ given, with a warning   ✗ left out   all refused, with all other tools   · lost with them   app kept for apps by the server"
)

// printMatrix prints a row for each tool with a column for each host. The columns have numbers, which are
// explained below: the names of the hosts do not fit side by side.
func (p *commands) printMatrix(m *modelview.Matrix) {
	t := app.Table{Out: p.Out, Looks: []lipgloss.Style{app.Name}, Head: true}
	head := []string{"tool"}
	for i := range m.Reports {
		head = append(head, strconv.Itoa(i+1))
	}
	t.Row(append(head, "")...)
	for i := range m.Rows {
		row := &m.Rows[i]
		texts := []string{phrase.Clip(row.Name, 40)}
		for _, cell := range row.Cells {
			texts = append(texts, signsOfCells[cell])
		}
		t.Row(append(texts, row.Reason)...)
	}
	if len(m.Rows) > 0 {
		t.Print()
		p.Out.Line("")
	}
	var names []string
	for i := range m.Reports {
		names = append(names, strconv.Itoa(i+1)+"="+m.Reports[i].Host.ID)
	}
	p.Out.Beside("", strings.Join(names, "   "), p.Readable())
	p.Out.Beside("", legend, p.Readable())
	p.Out.Line("\n" + p.Out.Faint("mcptea info --as HOST shows the reason, and what to change."))
}
