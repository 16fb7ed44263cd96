package modelview

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"mcptea/internal/words/phrase"
)

// A Cell is the treatment of a tool by a host.
type Cell uint8

// The cells.
const (
	Given    Cell = iota
	Warned        // the tool is offered, with a warning
	LeftOut       // the model does not see it
	Refused       // the API refuses the request for it
	NoList        // the host reads no tool of the server for it
	LostWith      // the tool is lost with the list or the request, because of another tool
	Withheld      // the server keeps it from models
)

// IsLost reports whether no model receives a tool through the host although the server offers it.
func (c Cell) IsLost() bool { return c >= LeftOut && c <= LostWith }

// A Matrix holds the treatment of each tool by each host.
type Matrix struct {
	Reports []Report // reports for [Hosts], in the same order
	Rows    []Row    // rows of the tools, in the order of the server
	Causes  []Cause  // reasons of the cells, each once, in the order of the rows
	Lost    int      // tools that a host loses
}

// A Cause is a problem that decides cells.
type Cause struct {
	Text   string   // sentence without a full stop
	Cell   Cell     // the cell that the problem leads to
	Hosts  []string // ids of the hosts in which it occurs for at least one of the tools
	Places []Place  // the tools, each with the first place of the problem in it
}

// Row is a tool in each host.
type Row struct {
	Name   string
	Cells  []Cell // cells in the order of the reports
	Causes []int  // indexes of the causes of the matrix that decide the cells
	Reason string // the worst problem, with its place and its hosts, or "" for a tool without problems
}

// IsLost reports whether a host refuses the tool or leaves it out.
func (r *Row) IsLost() bool { return slices.ContainsFunc(r.Cells, Cell.IsLost) }

// IsLostWithOthers reports whether all hosts that lose the tool lose it because of another one.
func (r *Row) IsLostWithOthers() bool {
	return !slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.IsLost() && c != LostWith })
}

// BuildAll rewrites the tools for each host.
func BuildAll(server Server) Matrix {
	m := Matrix{Rows: make([]Row, len(server.Tools))}
	for _, h := range Hosts() {
		m.Reports = append(m.Reports, Build(h, server))
	}
	for i := range m.Rows {
		row := &m.Rows[i]
		for j := range m.Reports {
			r := &m.Reports[j]
			row.Name = r.Tools[i].Name
			row.Cells = append(row.Cells, r.cell(i))
		}
		causes := m.causes(row)
		row.Causes, row.Reason = m.join(causes), worstReason(causes)
		if row.IsLost() {
			m.Lost++
		}
	}
	m.sortCauses()
	return m
}

// sortCauses puts the causes with the worst cells first.
func (m *Matrix) sortCauses() {
	order := make([]int, len(m.Causes)) // old indexes in the new order
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.Causes[b].Cell, m.Causes[a].Cell) })
	sorted, index := make([]Cause, len(order)), make([]int, len(order))
	for i, old := range order {
		sorted[i], index[old] = m.Causes[old], i
	}
	m.Causes = sorted
	for i := range m.Rows {
		for j, old := range m.Rows[i].Causes {
			m.Rows[i].Causes[j] = index[old]
		}
		slices.Sort(m.Rows[i].Causes)
	}
}

// HostsOf names the hosts of a cause, or counts them if they are many: the cells tell which.
func (m *Matrix) HostsOf(c *Cause) string {
	var others []string
	for i := range m.Reports {
		if id := m.Reports[i].Host.ID; !slices.Contains(c.Hosts, id) {
			others = append(others, id)
		}
	}
	switch {
	case len(others) == 0:
		return "all hosts"
	case len(others) <= maxNamed:
		return "all hosts but " + strings.Join(others, ", ")
	case len(c.Hosts) <= 2*maxNamed:
		return strings.Join(c.Hosts, ", ")
	}
	return phrase.Count(len(c.Hosts), "host")
}

// worst returns the most harmful problem of a tool with one of the effects, or nil. Two tools with the same
// name cannot be distinguished.
func (r *Report) worst(name string, effects ...Effect) (*Problem, Place) {
	for _, effect := range effects {
		for i := range r.Problems {
			p := &r.Problems[i]
			if p.Effect != effect || p.Certainty == "uncertain" {
				continue
			}
			for _, place := range p.Places {
				if place.Tool == name || place.Other == name || p.ID == connect {
					return p, place
				}
			}
		}
	}
	return nil, Place{}
}

// cell returns the treatment of a tool.
func (r *Report) cell(i int) Cell {
	t := &r.Tools[i]
	p, _ := r.worst(t.Name, noList, refused, leftOut, hidden)
	switch {
	case p != nil && p.Effect == noList:
		return NoList
	case p != nil && p.Effect == refused:
		return Refused
	case p != nil && p.Effect == leftOut:
		return LeftOut
	case p != nil:
		return Withheld
	case r.losesAll():
		return LostWith
	}
	if p, _ = r.worst(t.Name, changed); p != nil {
		return Warned
	}
	return Given
}

// losesAll reports whether one tool makes the host lose all others, because it rejects the list or the request.
func (r *Report) losesAll() bool {
	return slices.ContainsFunc(r.Problems, func(p Problem) bool {
		return p.Certainty != "uncertain" && (p.Effect == noList || p.Effect == refused)
	})
}

// causes returns the reasons of the cells of a tool, with the worst effect first.
func (m *Matrix) causes(row *Row) []Cause {
	var all []Cause
	for _, effects := range [][]Effect{{noList}, {refused}, {leftOut}, {changed}} {
		for i := range m.Reports {
			p, place := m.Reports[i].worst(row.Name, effects...)
			if p == nil || row.Cells[i] != cellOf[p.Effect] {
				continue
			}
			text := p.text(place)
			at := slices.IndexFunc(all, func(c Cause) bool { return c.Text == text && c.Cell == row.Cells[i] })
			if at < 0 {
				at = len(all)
				all = append(all, Cause{Text: text, Cell: row.Cells[i], Places: []Place{{Tool: row.Name, Path: place.Path}}})
			}
			all[at].Hosts = append(all[at].Hosts, m.Reports[i].Host.ID)
		}
	}
	return all
}

// cellOf has the cell of a tool whose worst problem has the effect.
var cellOf = map[Effect]Cell{noList: NoList, refused: Refused, leftOut: LeftOut, changed: Warned}

// text returns the sentence about a problem without its full stop. The sentences about libraries name the host, so
// their place is returned instead.
func (p *Problem) text(place Place) string {
	switch p.ID {
	case connect:
		return "initialize: " + place.text()
	case "sdk":
		return place.text()
	}
	return strings.TrimSuffix(p.Says, ".")
}

// worstReason describes the first cause of a tool in one line, with its hosts. It returns "" if causes is empty.
func worstReason(causes []Cause) string {
	if len(causes) == 0 {
		return ""
	}
	c := &causes[0]
	where := strings.Join(c.Hosts, ", ")
	if len(c.Hosts) > maxNamed {
		where = strconv.Itoa(len(c.Hosts)) + " hosts"
	}
	others := 0
	for i := range causes[1:] {
		if causes[i+1].Cell == c.Cell {
			others += len(causes[i+1].Hosts)
		}
	}
	if others > 0 {
		where += "; other reasons in " + phrase.Count(others, "host")
	}
	text := c.Text
	if at := c.Places[0].Path; at != "" && !strings.Contains(text, at) {
		text += ": " + at
	}
	return text + " (" + where + ")"
}

// maxNamed is the number of hosts that a reason names.
const maxNamed = 2

// join adds the causes of a tool to the causes of the matrix, and returns their indexes.
func (m *Matrix) join(causes []Cause) []int {
	var indexes []int
	for _, c := range causes {
		at := slices.IndexFunc(m.Causes, func(o Cause) bool { return o.Text == c.Text && o.Cell == c.Cell })
		if at < 0 {
			at = len(m.Causes)
			m.Causes = append(m.Causes, Cause{Text: c.Text, Cell: c.Cell})
		}
		joined := &m.Causes[at]
		joined.Places = append(joined.Places, c.Places...)
		for _, id := range c.Hosts {
			if !slices.Contains(joined.Hosts, id) {
				joined.Hosts = append(joined.Hosts, id)
			}
		}
		indexes = append(indexes, at)
	}
	return indexes
}
