package use

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"mcptea/check/modelview"
	"mcptea/cli/app"
	"mcptea/internal/words/display"
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

// Signs of cells, and their meanings.
var (
	signsOfCells = map[modelview.Cell]string{modelview.Given: "✓", modelview.Warned: "~", modelview.LeftOut: "✗", modelview.Refused: "!", modelview.NoList: "!", modelview.LostWith: "·", modelview.Withheld: "app"}
	meanings     = []string{"✓ given", "~ given, with a warning", "✗ left out", "! refused, with all other tools", "· lost with them", "app kept for apps by the server"}
)

// legendOf explains the signs that the matrix has.
func legendOf(m *modelview.Matrix) string {
	var legend []string
	for _, meaning := range meanings {
		sign, _, _ := strings.Cut(meaning, " ")
		if slices.ContainsFunc(m.Rows, func(r modelview.Row) bool {
			return slices.ContainsFunc(r.Cells, func(c modelview.Cell) bool { return signsOfCells[c] == sign })
		}) {
			legend = append(legend, meaning)
		}
	}
	return strings.Join(legend, "   ")
}

// printMatrix prints a row for each tool with a column for each host. The columns have numbers and the reasons have
// letters, which are explained below: names and sentences do not fit side by side.
func (p *commands) printMatrix(m *modelview.Matrix) {
	t := app.Table{Out: p.Out, Looks: []lipgloss.Style{app.Name}, Head: true}
	head := []string{"tool"}
	for i := range m.Reports {
		head = append(head, strconv.Itoa(i+1))
	}
	why := ""
	if len(m.Causes) > 0 {
		why = "why"
	}
	t.Row(append(head, why)...)
	for i := range m.Rows {
		row := &m.Rows[i]
		texts := []string{phrase.Clip(row.Name, 40)}
		for _, cell := range row.Cells {
			texts = append(texts, signsOfCells[cell])
		}
		var letters []string
		for _, cause := range row.Causes {
			letters = append(letters, letterOf(cause))
		}
		t.Row(append(texts, strings.Join(letters, " "))...)
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
	p.Out.Beside("", legendOf(m), p.Readable())
	p.printCauses(m)
	p.Out.Prose("\n" + p.Out.Faint("mcptea info --as HOST shows each problem with its source, and what to change."))
}

// printCauses prints the reasons of the cells, each once, with its hosts and its tools.
func (p *commands) printCauses(m *modelview.Matrix) {
	if len(m.Causes) > 0 {
		p.Out.Line("")
	}
	signs := 0
	for i := range m.Causes {
		signs = max(signs, display.Width(signsOfCells[m.Causes[i].Cell]))
	}
	for i := range m.Causes {
		c := &m.Causes[i]
		sign := signsOfCells[c.Cell]
		label := fmt.Sprintf("%-3s%s%*s", letterOf(i), sign, signs-display.Width(sign)+2, "")
		p.Out.Beside(label, m.HostsOf(c)+": "+c.Text+".", p.Readable())
		p.Out.Beside(strings.Repeat(" ", display.Width(label)), placesOf(c), p.Readable())
	}
}

// maxPlacesShown bounds the tools that a reason lists.
const maxPlacesShown = 8

// placesOf lists the tools of a reason, each with its place.
func placesOf(c *modelview.Cause) string {
	var texts []string
	for _, place := range c.Places {
		text := phrase.Clip(place.Tool, 40)
		if place.Path != "" && !strings.Contains(c.Text, place.Path) {
			text += " " + place.Path
		}
		texts = append(texts, text)
	}
	return phrase.JoinFirst(texts, maxPlacesShown)
}

// letterOf returns the letter of a reason: a to z, then a2 to z2, and so on.
func letterOf(index int) string {
	letter := string(rune('a' + index%26))
	if round := index / 26; round > 0 {
		letter += strconv.Itoa(round + 1)
	}
	return letter
}
