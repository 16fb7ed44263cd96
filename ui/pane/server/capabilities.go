package server

import (
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/ui/paint"
)

const (
	capabilityName  = 13
	capabilityCount = 5
	capabilityMeans = 24
)

// capabilities writes what one side offers: what the specification knows of
// first, then the rest as it came.
func (p *Pane) capabilities(s *sheet, known []revision.Capability, caps []byte) {
	agreed := p.st.Handshake.Revision
	if len(caps) == 0 {
		return
	}
	for _, c := range known {
		value, offered := jsonrpc.Member(caps, c.Name)
		if !offered && (!c.In(agreed) || c.Open) {
			continue // not declared, and not part of this revision
		}
		s.line(func(r *paint.Row) {
			p.capabilityRow(r, s.pal, c, value, offered)
		})
		if c.Open && several(value) {
			members(s, value)
		}
	}
	for name, value := range jsonrpc.Members(caps) {
		if !slices.ContainsFunc(known, func(c revision.Capability) bool { return c.Name == string(name) }) {
			label := string(name)
			s.line(func(r *paint.Row) {
				r.Put(s.pal.OK, s.pal.OKMark+" ")
				r.Cell(s.pal.TextBold, label, capabilityName-1)
				r.Gap(1 + capabilityCount)
				r.PutBytes(s.pal.Muted, value)
			})
		}
	}
}

func (p *Pane) capabilityRow(r *paint.Row, pal *paint.Palette, c revision.Capability, value []byte, offered bool) {
	if !offered {
		r.Put(pal.Muted, pal.Separator+" ")
		r.Cell(pal.Muted, c.Name, capabilityName+capabilityCount)
		r.Put(pal.Muted, c.Summary)
		return
	}
	r.Put(pal.OK, pal.OKMark+" ")
	r.Cell(pal.TextBold, c.Name, capabilityName)
	p.listed(r, pal, c.Name)
	r.Cell(pal.Text, c.Summary, capabilityMeans)
	if len(value) == 0 || value[0] != '{' {
		r.Put(pal.Warn, "must be an object, is ")
		r.PutBytes(pal.Warn, value)
		return
	}
	if agreed := p.st.Handshake.Revision; !c.In(agreed) {
		r.Put(pal.Warn, "not in "+string(agreed)+"  ")
	}
	if c.Open && several(value) {
		return // its members have a line each
	}
	flags(r, pal, c.Flags(p.st.Handshake.Revision), value)
	if f := p.st.Lists[c.Name].Fresh; f.Explicit {
		r.Gap(2)
		r.Put(pal.Muted, f.String())
	}
}

// several reports whether an object has more than one member.
func several(object []byte) bool {
	n := 0
	for range jsonrpc.Members(object) {
		n++
	}
	return n > 1
}

// members writes what an open capability holds: untrusted names.
func members(s *sheet, value []byte) {
	for name, v := range jsonrpc.Members(value) {
		label := string(name)
		s.line(func(r *paint.Row) {
			r.Gap(2)
			r.Put(s.pal.Text, label)
			if string(v) != "{}" {
				r.Gap(2)
				r.PutBytes(s.pal.Muted, v)
			}
		})
	}
}

// listed tells how many items there are behind a capability, if it stands for a
// list.
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
func flags(r *paint.Row, pal *paint.Palette, paths []string, value []byte) {
	for i, f := range paths {
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
		known := slices.ContainsFunc(paths, func(f string) bool { return strings.Split(f, ".")[0] == string(name) })
		if !known {
			if len(paths) > 0 {
				r.Gap(2)
			}
			r.PutBytes(pal.Text, name)
			r.Put(pal.Muted, ":")
			r.PutBytes(pal.Muted, v)
		}
	}
}

// listErrors writes why lists could not be fetched.
func (p *Pane) listErrors(s *sheet) {
	for _, kind := range client.ListKinds {
		if l := p.st.Lists[kind.Name]; l.Err != nil {
			s.fact(kind.Name, s.pal.Error, l.Err.Error())
		}
	}
}
