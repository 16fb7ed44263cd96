package modelview

import (
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
	Lost    int      // tools that a host loses
}

// Row is a tool in each host.
type Row struct {
	Name   string
	Cells  []Cell // cells in the order of the reports
	Reason string // the worst problem, with its place and its hosts, or "" for a tool without problems
}

// IsLost reports whether a host refuses the tool or leaves it out.
func (r *Row) IsLost() bool { return slices.ContainsFunc(r.Cells, Cell.IsLost) }

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
		row.Reason = m.reason(row)
		if row.IsLost() {
			m.Lost++
		}
	}
	return m
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

// reason describes the worst problem of a tool, with its hosts.
func (m *Matrix) reason(row *Row) string {
	for _, effects := range [][]Effect{{noList}, {refused}, {leftOut}, {changed}} {
		text, at, in, others := "", "", []string(nil), 0
		for i := range m.Reports {
			p, place := m.Reports[i].worst(row.Name, effects...)
			if p == nil {
				continue
			}
			about := strings.TrimSuffix(p.Says, ".")
			if p.ID == "sdk" || p.ID == connect { // the sentence names the host
				about = place.text()
				if p.ID == connect {
					about = "initialize: " + about
				}
			}
			if text == "" {
				text, at = about, place.Path
			}
			if text == about {
				in = append(in, m.Reports[i].Host.ID)
			} else {
				others++
			}
		}
		if text == "" {
			continue
		}
		where := strings.Join(in, ", ")
		if len(in) > maxNamed {
			where = strconv.Itoa(len(in)) + " hosts"
		}
		if others > 0 {
			where += "; other reasons in " + phrase.Count(others, "host")
		}
		if at != "" && !strings.Contains(text, at) {
			text += ": " + at
		}
		return text + " (" + where + ")"
	}
	return ""
}

// maxNamed is the number of hosts that a reason names.
const maxNamed = 2
