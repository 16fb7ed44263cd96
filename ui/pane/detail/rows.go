package detail

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/lint"
	"mcptea/session/store"
	"mcptea/ui/paint"
)

// Title is what is in the upper border: the frame, and the modes.
func (p *Pane) Title(pal *paint.Palette) (title, note []paint.Span) {
	if p.row == store.None {
		return []paint.Span{{Style: pal.TextBold, Text: "Detail"}}, nil
	}
	title = []paint.Span{{Style: pal.Muted, Text: "#" + strconv.Itoa(int(p.row)+1) + " "}}
	title = append(title, p.headline(pal)...)
	for m := range modes {
		if !p.has(m) {
			continue
		}
		st := pal.Muted
		if m == p.mode {
			st = pal.Accent
		}
		note = append(note, paint.Span{Style: st, Text: modeNames[m]}, paint.Span{Text: "  "})
	}
	return title, note[:len(note)-1]
}

func (p *Pane) headline(pal *paint.Palette) []paint.Span {
	s := p.source.Store()
	method := paint.Sanitize(s.Method(p.info.Method))
	st, kind := pal.TextBold, p.info.Kind.String()
	switch {
	case p.info.Kind == store.KindProcess:
		kind = "process"
	case p.info.Kind == store.KindExchange:
		kind = "HTTP"
	case p.info.IsEvent():
		kind = "event"
	case p.info.Flags&store.ToolError != 0:
		st, kind = pal.WarnBold, "tool error"
	case p.info.IsError():
		st = pal.ErrorBold
	case p.info.Kind == jsonrpc.Response:
		st, kind = pal.OKBold, "result"
	}
	spans := []paint.Span{{Style: st, Text: kind + " "}}
	if p.info.Kind.IsResponse() && p.info.Pair != store.None {
		spans = append(spans, paint.Span{Style: pal.Muted, Text: "of #" + strconv.Itoa(int(p.info.Pair)+1) + " "})
	}
	return append(spans, paint.Span{Style: pal.Text, Text: method})
}

// Rows paints the pane: exactly h rows of w cells.
func (p *Pane) Rows(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	p.height = h
	switch {
	case p.row == store.None:
		return fill(nil, w, h, message(pal, w, "select a frame in the traffic to see it here"))
	case p.err != nil:
		return fill(nil, w, h, message(pal, w, paint.Sanitize(p.err.Error())))
	case p.loading || p.view == nil:
		return fill(nil, w, h, message(pal, w, "reading "+paint.HumanSize(int64(p.info.Size))+" …"))
	}
	all := p.findings()
	p.mark(pal, all)
	card := p.cardRows(pal, w, h)
	facts := append(p.facts(pal, all, w, h-len(card)), card...)
	facts = append(p.userNote(pal, w), facts...)
	room := max(1, h-len(facts)-2)
	var rows []string
	switch p.mode {
	case Pair:
		rows = p.pairRows(pal, js, w, room, focused)
	case Tree:
		if p.view.Doc().Len() == 0 || p.info.Fault == jsonrpc.FaultNotJSON && p.info.Flaws&jsonrpc.FlawBOM == 0 && p.notObject() {
			rows = p.hex.Rows(pal, w, room)
		} else {
			rows = p.view.Rows(pal, js, w, room, focused)
		}
	case Sides:
		rows = p.sideRows(pal, w, room)
	case HTTP:
		rows = p.http(pal, w, room)
	default:
		rows = p.hex.Rows(pal, w, room)
	}
	if len(facts) > 0 {
		rows = append(append(rows, blank(w)), facts...)
	}
	return fill(rows, w, h, p.foot(pal, w))
}

// pairRows shows the frame above the one that it belongs with.
func (p *Pane) pairRows(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	p.loadPair()
	p.split = 0
	if p.pairOf == nil || h < 5 {
		return p.view.Rows(pal, js, w, h, focused)
	}
	lower := min((h-1)/2, p.pairOf.Doc().Len())
	rows := p.view.Rows(pal, js, w, h-1-lower, focused && !p.lower)
	other, _ := p.source.Store().Row(p.pairRow)
	what := "its request"
	if other.Kind.IsResponse() {
		what = "its response"
	}
	rows = append(rows, paint.Rule(pal, w,
		paint.Span{Style: pal.Muted, Text: "#" + strconv.Itoa(int(p.pairRow)+1) + " "},
		paint.Span{Style: pal.TextBold, Text: what}))
	p.split = len(rows)
	return append(rows, p.pairOf.Rows(pal, js, w, lower, focused && p.lower)...)
}

// notObject reports whether a tree would show nothing: bytes that do not even
// begin like a message.
func (p *Pane) notObject() bool {
	text := strings.TrimSpace(string(p.body[:min(len(p.body), 64)]))
	return text == "" || text[0] != '{' && text[0] != '['
}

// maxNoteLines is how many lines of the note of the user are shown.
const maxNoteLines = 3

// userNote is the note of the user on the frame.
func (p *Pane) userNote(pal *paint.Palette, w int) []string {
	note := p.source.Store().MarkAt(p.row).Note
	if note == "" {
		return nil
	}
	var rows []string
	for i, line := range pal.WrapMost(paint.Sanitize(note), w-4, maxNoteLines) {
		r := pal.Row()
		r.Start(w, paint.Style{})
		if i == 0 {
			r.Put(pal.WarnBold, " "+pal.Mark)
		}
		r.To(3)
		r.Put(pal.Text, line)
		rows = append(rows, r.String())
	}
	return rows
}

// facts are the remarks on the frame: what is wrong with it, how it ended.
// What one of the rules says is not said twice.
func (p *Pane) facts(pal *paint.Palette, all []lint.Finding, w, h int) []string {
	var r paint.Row
	most := h / 3
	if p.why {
		most = h * 2 / 3
	}
	rows := p.verdicts(pal, all, w, most)
	say := func(st paint.Style, text string) {
		for _, line := range paint.Wrap(text, w-4) {
			r.Start(w, paint.Style{})
			r.Put(st, " "+pal.WarnMark+" ")
			r.Put(pal.Text, line)
			rows = append(rows, r.String())
		}
	}
	if p.info.Fault != jsonrpc.FaultNone && p.info.IsFrame() && !p.info.IsEvent() && !said(all, "J", "K", "B") {
		say(pal.Error, fmt.Sprintf("%s, at byte %d", p.info.Fault, p.faultAt))
	}
	for _, text := range p.info.Flaws.Texts() {
		if !said(all, "J") {
			say(pal.Warn, text)
		}
	}
	if text := p.changeText(); text != "" {
		say(pal.Warn, text)
	}
	for _, f := range flagTexts {
		if p.info.Flags&f.flag != 0 && !said(all, f.rules...) {
			say(pal.Warn, f.text)
		}
	}
	return rows
}

var flagTexts = []struct {
	flag  store.Flags
	text  string
	rules []string // that say the same
}{
	{store.UnknownID, "no pending request has this id with this type", []string{"J030", "J031"}},
	{store.DuplicateResponse, "a second response to the same request", []string{"J032"}},
	{store.NoID, "a response without an id", []string{"J013"}},
	{store.DuplicateID, "this id was used before by the same side", []string{"J011"}},
	{store.Late, "arrived after the request was cancelled or timed out", nil},
	{store.TimedOut, "this request timed out", nil},
	{store.Cancelled, "this request was cancelled", nil},
	{store.Abandoned, "the connection ended before the response", nil},
	{store.ToolError, "The tool failed (isError); the request itself succeeded.", nil},
	{store.Torn, "the stream ended inside of this frame", []string{"K007"}},
	{store.OddEnding, "the line ends with CR LF; the specification requires LF", []string{"K003"}},
}

// foot is the last line: the path under the cursor, or the search.
func (p *Pane) foot(pal *paint.Palette, w int) string {
	var r paint.Row
	r.Start(w, paint.Style{})
	r.Gap(1)
	switch {
	case p.query.Shown():
		st := pal.Text
		if p.missed {
			st = pal.Error
		}
		p.query.Put(&r, pal, st, max(1, r.Left()-14))
		if p.missed {
			r.Put(pal.Error, "  not found")
		}
	case (p.mode == Tree || p.mode == Pair) && p.view != nil:
		r.Right(paint.Span{Style: pal.Muted, Text: p.when() + " "})
		r.Put(pal.Muted, p.tree().Path())
	default:
		r.Right(paint.Span{Style: pal.Muted, Text: p.when() + " "})
		r.Put(pal.Muted, paint.HumanSize(int64(p.info.Size)))
	}
	return r.String()
}

func (p *Pane) when() string {
	dir := "sent"
	if p.info.Dir == transport.In {
		dir = "received"
	}
	return fmt.Sprintf("%s %s  %s", dir, paint.HumanClock(time.Unix(0, p.info.Time)), paint.HumanSize(int64(p.info.Size)))
}

// http shows the exchange that carried the frame.
func (p *Pane) http(pal *paint.Palette, w, h int) []string {
	x, ok := p.source.Store().ExchangeOf(p.info.Exchange)
	if !ok {
		return fill(nil, w, h, message(pal, w, "the exchange is no longer in memory; the recording has it"))
	}
	var r paint.Row
	var rows []string
	line := func(spans ...paint.Span) {
		r.Start(w, paint.Style{})
		r.Gap(1)
		for _, s := range spans {
			r.Put(s.Style, s.Text)
		}
		rows = append(rows, r.String())
	}
	line(paint.Span{Style: pal.TextBold, Text: x.Method + " "}, paint.Span{Style: pal.Value, Text: x.URL})
	status, st := "no response yet", pal.Warn
	if x.Status != 0 {
		status, st = strconv.Itoa(x.Status), pal.OK
		if x.Status >= 400 {
			st = pal.Error
		}
	}
	lasted := fmt.Sprintf("in all %s   %s up, %s down", paint.HumanDuration(x.Took), paint.HumanSize(x.Sent), paint.HumanSize(x.Received))
	if x.Phase != transport.ExchangeDone {
		lasted = "still open   " + paint.HumanSize(x.Sent) + " up"
	}
	line(paint.Span{Style: pal.Muted, Text: fmt.Sprintf("exchange %d, %s   ", x.ID, x.Purpose)}, paint.Span{Style: st, Text: status},
		paint.Span{Style: pal.Muted, Text: fmt.Sprintf("   first byte %s   %s", paint.HumanDuration(x.FirstByte), lasted)})
	if x.Err != "" {
		line(paint.Span{Style: pal.Error, Text: x.Err})
	}
	for _, part := range []struct {
		name   string
		header map[string][]string
	}{{"request headers", x.RequestHeader}, {"response headers", x.ResponseHeader}} {
		line()
		line(paint.Span{Style: pal.Muted, Text: part.name})
		for _, name := range slices.Sorted(maps.Keys(part.header)) {
			for _, v := range part.header[name] {
				line(paint.Span{Style: pal.Value, Text: name + ": "}, paint.Span{Style: pal.Text, Text: v})
			}
		}
	}
	for _, part := range []struct {
		name string
		body []byte
	}{{"request body", x.RequestBody}, {"response body", x.ResponseBody}} {
		if len(part.body) == 0 {
			continue
		}
		line()
		line(paint.Span{Style: pal.Muted, Text: part.name + ", secrets masked"})
		for _, text := range paint.Wrap(string(part.body), max(1, w-2)) {
			line(paint.Span{Style: pal.Text, Text: text})
		}
	}
	return p.exchange.Rows(rows, w, h)
}

func message(pal *paint.Palette, w int, text string) string {
	var r paint.Row
	r.Start(w, paint.Style{})
	r.Gap(2)
	r.Put(pal.Muted, text)
	return r.String()
}

func blank(w int) string { return strings.Repeat(" ", max(0, w)) }

// fill pads with blank rows and ends with the last one.
func fill(rows []string, w, h int, last string) []string {
	for len(rows) < h-1 {
		rows = append(rows, blank(w))
	}
	return append(rows[:max(0, min(len(rows), h-1))], last)
}
