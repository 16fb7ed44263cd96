package server

import (
	"strings"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

const (
	capabilityName  = 13
	capabilityCount = 5
	capabilityMeans = 24
	saidAt          = 2 + capabilityName + capabilityCount + capabilityMeans
	extensionName   = 32
	maxValue        = 240 // bytes of a value
)

// offers adds the capabilities of both sides.
func (p *Pane) offers(d *doc.Doc) {
	h := p.st.Handshake
	heading(d, "the server offers", "")
	if h.ServerCaps == nil {
		method := paint.If(h.Revision.IsStateless(), "server/discover", "initialize")
		d.Text(d.Pal.Warn, "The "+method+" result has no capabilities, which are required.", doc.All)
	}
	p.capabilities(d, revision.Server, h.ServerCaps)
	for _, kind := range client.ListKinds {
		if l := p.st.Lists[kind.Name]; l.Err != nil {
			fact(d, kind.Name, d.Pal.Error, l.Err.Error())
		}
	}
	heading(d, "mcptea offers", "")
	p.capabilities(d, revision.Client, h.ClientCaps)
}

// capabilities adds the capabilities of one side.
func (p *Pane) capabilities(d *doc.Doc, of revision.Sender, caps []byte) {
	if len(caps) == 0 {
		return
	}
	for _, o := range revision.Offers(of, caps, p.st.Handshake.Revision) {
		extensions := o.Name == "extensions" && o.Known
		several := extensions || o.Open && len(o.Members) > 1 // a separate row for each of them
		rest := doc.Flow(p.capabilityText(d.Pal, o, !several), d.W-2-saidAt)
		d.Lines(max(len(rest), 1), func(r *paint.Row, i int) {
			if i == 0 {
				p.capability(r, d.Pal, o)
			}
			if r.To(1 + saidAt); i < len(rest) {
				r.Spans(rest[i]...)
			}
		})
		if extensions {
			for _, f := range o.Members {
				addExtension(d, f)
			}
		} else if several {
			d.Lines(len(o.Members), func(r *paint.Row, i int) { r.Gap(2); r.Spans(member(d.Pal, " ", o.Members[i])...) })
		}
	}
}

func (p *Pane) capability(r *paint.Row, pal *paint.Palette, o revision.Offer) {
	if o.Value == nil {
		r.Put(pal.Muted, pal.Separator+" ")
		r.Cell(pal.Muted, o.Name, capabilityName+capabilityCount)
		r.Put(pal.Muted, o.Summary)
		return
	}
	r.Put(pal.OK, pal.OKMark+" ")
	r.Cell(pal.TextBold, o.Name, capabilityName)
	p.listed(r, pal, o.Name)
	if !o.Known {
		r.PutBytes(pal.Muted, o.Value)
		return
	}
	r.Put(pal.Text, o.Summary)
}

// capabilityText returns the pieces of text about a side's capability, next to its name.
func (p *Pane) capabilityText(pal *paint.Palette, o revision.Offer, members bool) (pieces [][]paint.Span) {
	add := func(st paint.Style, text string) { pieces = append(pieces, []paint.Span{{Style: st, Text: text}}) }
	if !o.Known || o.Value == nil {
		return nil
	}
	if len(o.Value) == 0 || o.Value[0] != '{' {
		add(pal.Warn, "must be an object, is "+pal.Label(string(o.Value[:min(len(o.Value), maxValue)]), maxValue))
		return pieces
	}
	if !o.Defined {
		add(pal.Warn, "not in "+string(p.st.Handshake.Revision))
	}
	if !members {
		return pieces
	}
	for _, f := range o.Members {
		pieces = append(pieces, member(pal, ":", f))
	}
	if n := p.templates(o.Name); n > 0 {
		add(pal.Muted, phrase.Count(n, "template"))
	}
	if f := p.st.Lists[o.Name].Fresh; f.Explicit {
		add(pal.Muted, f.String())
	}
	return pieces
}

// maxSettings is the number of bytes shown of an extension's settings.
const maxSettings = 400

// addExtension adds a declared extension: its id, its description, and its settings.
func addExtension(d *doc.Doc, f revision.Flag) {
	name := "  " + display.Sanitize(f.Name)
	name += strings.Repeat(" ", max(extensionName+2-display.Width(name), 2))
	text, doubtful := revision.ExtensionText(f.Name)
	if string(f.Value) != "{}" {
		text += "  " + string(f.Value[:min(len(f.Value), maxSettings)])
	}
	d.Sign(paint.Span{Style: d.Pal.Text, Text: name}, paint.If(doubtful, d.Pal.Warn, d.Pal.Muted), text, 4)
}

// member returns a member of a capability: for one that the specification defines, its name, with a check mark if it is
// declared; for another one, its name and value.
func member(pal *paint.Palette, colon string, f revision.Flag) []paint.Span {
	name := strings.TrimPrefix(f.Name, "requests.")
	switch {
	case f.Known && f.Set:
		return []paint.Span{{Style: pal.OK, Text: pal.OKMark + " "}, {Style: pal.Text, Text: name}}
	case f.Known:
		return []paint.Span{{Style: pal.Muted, Text: pal.Separator + " " + name}}
	case string(f.Value) == "{}":
		colon = ""
	default:
		colon += pal.Label(string(f.Value[:min(len(f.Value), maxValue)]), maxValue)
	}
	return []paint.Span{{Style: pal.Text, Text: f.Name}, {Style: pal.Muted, Text: colon}}
}

// templates returns the number of resource templates of the server, for the capability of resources.
func (p *Pane) templates(kind string) int {
	if kind != client.Resources.Name {
		return 0
	}
	return len(p.st.Lists[client.Templates.Name].Items)
}

// listed writes the number of items after a capability that stands for a list.
func (p *Pane) listed(r *paint.Row, pal *paint.Palette, kind string) {
	st, text := pal.Muted, ""
	switch l := p.st.Lists[kind]; {
	case l.Err != nil:
		st, text = pal.Error, pal.FailMark
	case l.Loading:
		text = paint.Spinner(pal, p.spin)
	case !l.Loaded.IsZero():
		text = phrase.Digits(len(l.Items) + p.templates(kind)) // same number as in the tab
	}
	r.CellRight(st, text, capabilityCount-2)
	r.Gap(2)
}
