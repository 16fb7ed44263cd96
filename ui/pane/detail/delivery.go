package detail

import (
	"strings"

	"mcptea/client/transport"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// delivery shows a POST to the callback of a webhook: its outcome, its headers, and its body as
// received.
func (p *Pane) delivery(d *doc.Doc) {
	pal := d.Pal
	of, err := p.app.Store().DeliveryOf(p.row)
	if err != nil {
		d.Text(pal.Error, err.Error(), 2)
		return
	}
	method, address := of.Request()
	d.Row(paint.Span{Style: pal.TextBold, Text: method + " "}, paint.Span{Style: pal.Value, Text: address})
	answered, st := "not answered", pal.Error
	if of.Status != 0 {
		answered = "answered " + transport.StatusText(of.Status)
	}
	if !of.IsRefused() {
		st = pal.OK
	}
	spans := paint.Spans{{Style: st, Text: answered}}
	spans.If(of.Signed.Words() != "", pal.Muted, "   signature "+of.Signed.Words())
	spans.If(of.Again, pal.Warn, "   a message with this webhook-id was received before")
	d.Row(spans...)
	if words := strings.TrimPrefix(of.RetryWords()+", "+of.AskedWords(), ", "); words != "" {
		d.Row(paint.Span{Style: pal.Warn, Text: strings.TrimSuffix(words, ", ")})
	}
	if of.Trouble != "" {
		d.Sign(paint.Span{Style: pal.Warn, Text: pal.WarnMark + " "}, pal.Text, of.Trouble, maxRemark)
	}
	d.Blank()
	d.Row(paint.Span{Style: pal.Muted, Text: "request headers that are kept"})
	for _, field := range of.Fields() {
		d.Row(paint.Span{Style: pal.Value, Text: field[0] + ": "}, paint.Span{Style: pal.Text, Text: field[1]})
	}
	d.Blank()
	if len(p.body) == 0 {
		d.Row(paint.Span{Style: pal.Muted, Text: "no body was read"})
		return
	}
	d.Row(paint.Span{Style: pal.Muted, Text: "request body"})
	d.Text(pal.Text, string(p.body), doc.All)
}
