package detail

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/store"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// maxNoteLines is the maximum number of displayed lines of the user's note. maxRemark is the
// maximum length of another remark, in characters.
const (
	maxNoteLines = 3
	maxRemark    = 100
)

// userNote adds the user's note on the frame.
func (p *Pane) userNote(d *doc.Doc) {
	d.Sign(paint.Span{Style: d.Pal.WarnBold, Text: d.Pal.Mark + " "}, d.Pal.Text, p.app.Store().MarkAt(p.row).Note, maxNoteLines)
}

// facts adds the remarks about the frame: its problems, and its outcome. It leaves out what a
// finding of a rule already states.
func (p *Pane) facts(d *doc.Doc, all []lint.Finding, h int) {
	most := h / 3
	if p.why {
		most = h * 2 / 3
	}
	p.verdicts(d, all, most)
	say := func(st paint.Style, text string) {
		d.Sign(paint.Span{Style: st, Text: d.Pal.WarnMark + " "}, d.Pal.Text, text, maxRemark)
	}
	if p.info.Fault != jsonrpc.FaultNone && p.info.IsFrame() && !p.info.IsEvent() && !isReported(all, "J", "K", "B") {
		say(d.Pal.Error, fmt.Sprintf("%s, at byte %d", p.info.Fault, p.fault.At))
	}
	for _, text := range p.info.Flaws.Texts() {
		if !isReported(all, "J") {
			say(d.Pal.Warn, text)
		}
	}
	if text := p.changeText(); text != "" {
		say(d.Pal.Warn, text)
	}
	for _, f := range flagTexts {
		if p.info.Flags&f.flag == 0 || isReported(all, f.rules...) {
			continue
		}
		text := f.text
		if f.flag == store.NoID && p.info.Flaws&jsonrpc.FlawNoID != 0 {
			continue // already shown above
		}
		switch x, ok := p.app.Store().ExchangeOf(p.info.Exchange); {
		case ok && x.NeverSent() && f.flag == store.Abandoned:
			text = "not sent: " + x.Err
		case ok && x.NeverSent() && f.flag == store.DuplicateID:
			continue // the server has not seen the id
		case ok && f.flag == store.Abandoned && x.Status != 0:
			text = fmt.Sprintf("no message in the response: HTTP %d", x.Status)
		}
		say(d.Pal.Warn, text)
	}
}

var flagTexts = []struct {
	flag  store.Flags
	text  string
	rules []string // rules whose findings have the same message
}{
	{store.UnknownID, "no pending request has this id with this type", []string{"J030", "J031"}},
	{store.DuplicateResponse, "a second response to the same request", []string{"J032"}},
	{store.NoID, "a response with the id null", []string{"J013"}},
	{store.DuplicateID, "this id was used before by the same side", []string{"J011"}},
	{store.Late, "arrived after the request was cancelled or timed out", nil},
	{store.TimedOut, "this request timed out", nil},
	{store.Cancelled, "this request was cancelled", nil},
	{store.Abandoned, "the connection ended before the response", nil},
	{store.ToolError, "The tool failed (isError); the request itself succeeded.", nil},
	{store.Torn, "the stream ended inside this frame", []string{"K007"}},
	{store.OddEnding, "the line ends with CR LF; the specification requires LF", []string{"K003"}},
}

// foot writes the last line: the path at the cursor, or the search.
func (p *Pane) foot(pal *paint.Palette, r *paint.Row) {
	r.Gap(1)
	switch {
	case p.query.Shown():
		p.query.Put(r, pal)
	case p.view == nil:
	case p.mode == Tree:
		r.Right(paint.Span{Style: pal.Muted, Text: p.when() + " "})
		r.Put(pal.Muted, p.tree.View().Path())
	default:
		r.Right(paint.Span{Style: pal.Muted, Text: p.when() + " "})
	}
}

func (p *Pane) when() string {
	at := phrase.Clock(time.Unix(0, p.info.Time))
	if p.info.Kind == store.KindProcess {
		return at // nothing was sent
	}
	dir := paint.If(p.info.Dir == transport.In, "received", "sent")
	if p.app.Store().NeverSent(&p.info) {
		dir = "not sent"
	}
	if p.app.Held != nil && p.info.Dir == transport.Out {
		if _, held := p.app.Held()[p.row]; held {
			dir = "held since"
		}
	}
	return fmt.Sprintf("%s %s  %s", dir, at, phrase.Size(int64(p.info.Size)))
}

// http shows the exchange that carried the frame.
func (p *Pane) http(d *doc.Doc) {
	pal := d.Pal
	if p.info.Kind == store.KindDelivery {
		p.delivery(d)
		return
	}
	x, ok := p.app.Store().ExchangeOf(p.info.Exchange)
	if !ok {
		d.Text(pal.Muted, "the exchange is no longer in memory; the recording has it", 2)
		return
	}
	d.Row(paint.Span{Style: pal.TextBold, Text: x.Method + " "}, paint.Span{Style: pal.Value, Text: x.URL})
	status, st := "no response yet", pal.Warn
	if x.Status != 0 {
		status, st = strconv.Itoa(x.Status), pal.OK
		if x.Status >= 400 {
			st = pal.Error
		}
	}
	lasted := fmt.Sprintf("in all %s   %s up, %s down", phrase.Took(x.Took), phrase.Size(x.Sent), phrase.Size(x.Received))
	if x.Phase != transport.ExchangeDone {
		lasted = "still open   " + phrase.Size(x.Sent) + " up"
	}
	d.Row(paint.Span{Style: pal.Muted, Text: fmt.Sprintf("exchange %d, %s   ", x.ID, x.Purpose)}, paint.Span{Style: st, Text: status},
		paint.Span{Style: pal.Muted, Text: fmt.Sprintf("   first byte %s   %s", phrase.Took(x.FirstByte), lasted)})
	if x.Err != "" {
		d.Row(paint.Span{Style: pal.Error, Text: x.Err})
	}
	for _, part := range []struct {
		name   string
		header http.Header
	}{{"request headers", x.RequestHeader}, {"response headers", x.ResponseHeader}} {
		d.Blank()
		d.Row(paint.Span{Style: pal.Muted, Text: part.name})
		for _, name := range slices.Sorted(maps.Keys(part.header)) {
			for _, v := range part.header[name] {
				d.Row(paint.Span{Style: pal.Value, Text: name + ": "}, paint.Span{Style: pal.Text, Text: v})
			}
		}
	}
	for _, part := range []struct {
		name string
		body []byte
	}{{"request body", x.RequestBody}, {"response body", x.ResponseBody}} {
		if len(part.body) > 0 {
			d.Blank()
			d.Row(paint.Span{Style: pal.Muted, Text: part.name + ", secrets masked"})
			d.Text(pal.Text, string(part.body), doc.All)
		}
	}
}
