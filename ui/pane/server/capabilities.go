package server

import (
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/ui/paint"
)

// capability is one that the specification knows.
type capability struct {
	name  string
	since revision.Revision
	means string
	flags []string // members, as paths
	list  string   // the list that it stands for
}

var serverCapabilities = []capability{
	{"tools", revision.R20241105, "functions to call", []string{"listChanged"}, "tools"},
	{"resources", revision.R20241105, "things to read", []string{"subscribe", "listChanged"}, "resources"},
	{"prompts", revision.R20241105, "templates for messages", []string{"listChanged"}, "prompts"},
	{"logging", revision.R20241105, "sends log messages", nil, ""},
	{"completions", revision.R20250326, "completes arguments", nil, ""},
	{"tasks", revision.R20251125, "work that takes long", []string{"list", "cancel", "requests.tools.call"}, ""},
}

var clientCapabilities = []capability{
	{"roots", revision.R20241105, "tells its directories", []string{"listChanged"}, ""},
	{"sampling", revision.R20241105, "can run a model", []string{"tools", "context"}, ""},
	{"elicitation", revision.R20250618, "can ask the person", []string{"form", "url"}, ""},
	{"tasks", revision.R20251125, "tasks of its own", []string{"list", "cancel", "requests.sampling.createMessage", "requests.elicitation.create"}, ""},
}

const (
	capabilityName  = 13
	capabilityCount = 5
	capabilityMeans = 24
)

// capabilities writes what one side offers: what the specification knows of
// first, then the rest as it came.
func (p *Pane) capabilities(s *sheet, known []capability, caps []byte) {
	agreed := p.st.Handshake.Revision
	if len(caps) == 0 {
		return
	}
	for _, c := range known {
		value, offered := jsonrpc.Member(caps, c.name)
		if !offered && !newerOrSame(agreed, c.since) {
			continue // this revision does not know it, and nobody claims it
		}
		s.line(func(r *paint.Row) {
			p.capabilityRow(r, s.pal, c, value, offered)
		})
	}
	for name, value := range jsonrpc.Members(caps) {
		if !slices.ContainsFunc(known, func(c capability) bool { return c.name == string(name) }) {
			label := string(name)
			s.line(func(r *paint.Row) {
				r.Put(s.pal.OK, s.pal.OKMark+" ")
				r.ForeignCell(s.pal.TextBold, label, capabilityName-1)
				r.Gap(1 + capabilityCount)
				r.ForeignBytes(s.pal.Muted, value)
			})
		}
	}
}

func (p *Pane) capabilityRow(r *paint.Row, pal *paint.Palette, c capability, value []byte, offered bool) {
	if !offered {
		r.Put(pal.Muted, pal.Separator+" ")
		r.Cell(pal.Muted, c.name, capabilityName+capabilityCount)
		r.Put(pal.Muted, c.means)
		return
	}
	r.Put(pal.OK, pal.OKMark+" ")
	r.Cell(pal.TextBold, c.name, capabilityName)
	p.listed(r, pal, c.list)
	r.Cell(pal.Text, c.means, capabilityMeans)
	if len(value) == 0 || value[0] != '{' {
		r.Put(pal.Warn, "must be an object, is ")
		r.ForeignBytes(pal.Warn, value)
		return
	}
	if agreed := p.st.Handshake.Revision; !newerOrSame(agreed, c.since) {
		r.Foreign(pal.Warn, "not in "+string(agreed)+"  ")
	}
	flags(r, pal, c, value)
}

// listed tells how many items there are.
func (p *Pane) listed(r *paint.Row, pal *paint.Palette, kind string) {
	st, text := pal.Muted, ""
	switch l := p.st.Lists[kind]; {
	case l.Err != nil:
		st, text = pal.Error, pal.FailMark
	case l.Loading:
		text = paint.Spinner(pal, p.spin)
	case !l.Loaded.IsZero():
		text = paint.HumanCount(len(l.Items))
	}
	r.CellRight(st, text, capabilityCount-2)
	r.Gap(2)
}

// flags writes the members of a capability, the known ones first.
func flags(r *paint.Row, pal *paint.Palette, c capability, value []byte) {
	for i, f := range c.flags {
		if i > 0 {
			r.Gap(2)
		}
		path := strings.Split(f, ".")
		v, ok := jsonrpc.Member(value, path[0], path[1:]...)
		set := ok && string(v) != "false" && string(v) != "null"
		short := strings.TrimPrefix(f, "requests.")
		if set {
			r.Put(pal.OK, pal.OKMark+" ")
			r.Put(pal.Text, short)
		} else {
			r.Put(pal.Muted, pal.Separator+" "+short)
		}
	}
	for name, v := range jsonrpc.Members(value) {
		known := slices.ContainsFunc(c.flags, func(f string) bool { return strings.Split(f, ".")[0] == string(name) })
		if !known {
			if len(c.flags) > 0 {
				r.Gap(2)
			}
			r.ForeignBytes(pal.Text, name)
			r.Put(pal.Muted, ":")
			r.ForeignBytes(pal.Muted, v)
		}
	}
}

// newerOrSame compares revisions that are known; an unknown one has all.
func newerOrSame(r, since revision.Revision) bool {
	all := revision.All()
	at := slices.Index(all, r)
	return at < 0 || at >= slices.Index(all, since)
}

// listErrors writes why lists could not be fetched.
func (p *Pane) listErrors(s *sheet) {
	for _, kind := range client.ListKinds {
		if l := p.st.Lists[kind.Name]; l.Err != nil {
			s.fact(kind.Name, s.pal.Error, l.Err.Error())
		}
	}
}
