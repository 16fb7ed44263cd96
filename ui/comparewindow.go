package ui

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/diff"
	"mcptea/session/lint"
	"mcptea/session/shell"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/pane/compare"
	"mcptea/ui/severity"
)

// compareWindow shows a comparison below the row of the tabs.
type compareWindow struct {
	pane  *compare.Pane
	js    *paint.JSONStyles
	flash *action.Flash // of the program, in the last row
}

var _ worker = (*compareWindow)(nil)

func (m *model) openCompare(v compare.Values) {
	m.flash = action.Flash{}
	m.show(&compareWindow{compare.New(v, m.background), &m.js, &m.flash})
}

func (o *compareWindow) size(w, h int) (int, int)           { return w, h - 2 }
func (o *compareWindow) top() int                           { return 2 }
func (o *compareWindow) close()                             { o.pane.Close() }
func (o *compareWindow) scroll(n int)                       { o.pane.Scroll(n) }
func (o *compareWindow) cursor() (x, y int, ok bool)        { return 0, 0, false }
func (o *compareWindow) refresh(_ time.Time, spin int) bool { return o.pane.Refresh(spin) }

func (o *compareWindow) paint(p *paint.Palette, w, h int) []string {
	rows := o.pane.Paint(p, o.js, w, h)
	if o.flash.Text != "" {
		r := p.Row()
		r.Start(w, paint.Style{})
		r.Gap(1)
		r.Put(p.Text, o.flash.Text)
		rows[h-1] = r.String()
	}
	return rows
}

func (o *compareWindow) do(k tea.KeyPressMsg) (action.Action, bool) {
	c, _ := command.Lookup(command.Compare, k.String())
	return o.pane.Do(c.ID)
}

func (o *compareWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	c, _ := command.Lookup(command.Compare, k.String())
	return nil, c.ID == command.Back || c.ID == command.Interrupt || c.ID == command.Quit
}

// frameSide describes a frame of the session.
func (m *model) frameSide(row int32) compare.Side {
	return sideOf(m.session.Store(), row, m.session.FindingsAt(row))
}

func sideOf(s *store.Store, row int32, findings []lint.Finding) compare.Side {
	r, _ := s.Row(row)
	side := compare.Side{
		Frame: "#" + strconv.Itoa(int(row)+1), Name: sideName(s, row), Row: row,
		Time: time.Unix(0, r.Time).Format(time.TimeOnly), Size: paint.HumanSize(int64(r.Size)), Note: "no finding",
	}
	if request, answer := s.Related(row); answer == row && request != store.None {
		of, _ := s.Row(request)
		side.Took = paint.HumanDuration(time.Duration(r.Time - of.Time))
	}
	if r.Conn > 1 {
		side.Where = "restart " + strconv.Itoa(int(r.Conn)-1)
	}
	if worst := severity.Worst(findings); worst != nil {
		side.Note, side.Wrong = worst.Rule.ID+" "+worst.Rule.Slug, true
	}
	return side
}

// sideName is the call of a response; of other frames the kind and method.
func sideName(s *store.Store, row int32) string {
	r, _ := s.Row(row)
	request, answer := s.Related(row)
	if of, ok := s.Row(request); ok && answer == row && of.Dir == transport.Out {
		if head, err := s.Head(request, 4<<10); err == nil {
			return "call " + paint.Cut(paint.Sanitize(string(r.IDOf(head))), 20)
		}
	}
	_, name, _ := strings.Cut(frameName(s, row), " ")
	return name
}

// subjectOf is what two frames are about, and the pin of the request of the second one.
func (m *model) subjectOf(rows [2]int32) (subject, pin string) {
	s := m.session.Store()
	var params [2][]byte
	var methods [2]string
	for i, row := range rows {
		request, _ := s.Related(row)
		r, ok := s.Row(request)
		if !ok || r.Dir != transport.Out || r.Size > largeFrame {
			return "", ""
		}
		body, err := s.Body(request)
		if err != nil {
			return "", ""
		}
		methods[i], params[i] = s.Method(r.Method), jsonrpc.Scan(body).Params.Of(body)
	}
	subject = jsonrpc.Text(params[1], "name") + jsonrpc.Text(params[1], "uri")
	if subject == "" {
		subject = methods[1]
	}
	old, _ := jsonrpc.Member(params[0], "arguments")
	now, has := jsonrpc.Member(params[1], "arguments")
	switch {
	case methods[0] != methods[1]:
	case !has && old == nil:
	case bytes.Equal(old, now):
		subject += " " + string(now) + " · same arguments"
	default:
		subject += " · other arguments"
	}
	return subject, m.pins.Find(methods[1], params[1])
}

// diffRows opens the comparison of two frames.
func (m *model) diffRows(old, now int32) tea.Cmd {
	rows, s := [2]int32{old, now}, m.session.Store()
	if isOffer(s, old) && isOffer(s, now) {
		m.show(newDiffWindow([2]string{frameName(s, old), frameName(s, now)}, m.background, func(_ context.Context, o diff.Options) diffResult {
			return compareOffers(s, rows, o)
		}))
		return nil
	}
	return func() tea.Msg {
		v := compare.Values{Sides: [2]compare.Side{m.frameSide(old), m.frameSide(now)}}
		v.Subject, v.Pin = m.subjectOf(rows)
		v.Read = func() (values [2][]byte, err error) {
			for i, row := range rows {
				if values[i], err = s.Body(row); err != nil {
					return values, err
				}
			}
			return values, nil
		}
		path := s.Path()
		v.Command = func(swapped bool, ignored []string, strict bool) string {
			if path == "" {
				return "" // not recorded
			}
			a, b := rows[0], rows[1]
			if swapped {
				a, b = b, a
			}
			return diffCommand(frameOf(path, a), frameOf(path, b), ignored, strict)
		}
		return compareMsg{v}
	}
}

// isOffer reports whether a frame is a response with what a server offers: its changes
// break clients, or do not.
func isOffer(s *store.Store, row int32) bool {
	r, _ := s.Row(row)
	method := s.Method(r.Method)
	return r.Kind == jsonrpc.Response && (strings.HasSuffix(method, "/list") || method == "initialize" || method == "server/discover")
}

func compareOffers(s *store.Store, rows [2]int32, o diff.Options) (r diffResult) {
	var values [2][]byte
	for i, row := range rows {
		if values[i], r.err = s.Body(row); r.err != nil {
			return r
		}
	}
	return compareOffersOf(values, o)
}

// compareOffersOf compares what two servers offer.
func compareOffersOf(values [2][]byte, o diff.Options) (r diffResult) {
	if r = compareValues(values[0], values[1], o); r.err != nil || r.count == 0 {
		return r
	}
	old, ok := diff.Offer(values[0])
	now, both := diff.Offer(values[1])
	if ok && both {
		r.changes = diff.Servers(old, now)
	}
	return r
}

// compareMsg is a comparison that was prepared.
type compareMsg struct{ compare.Values }

// frameOf names a frame of a recording.
func frameOf(path string, row int32) string { return path + "#" + strconv.Itoa(int(row)+1) }

// diffCommand is the command that compares two frames.
func diffCommand(old, now string, ignored []string, strict bool) string {
	words := []string{"mcptea", "diff", old, now}
	for _, rule := range ignored {
		words = append(words, "--ignore", rule)
	}
	if strict {
		words = append(words, "--strict")
	}
	return shellCommand(words...)
}

// shellCommand writes a command for the shell of the user; empty where that is not
// possible.
func shellCommand(words ...string) string {
	text, err := shell.Of(os.Getenv("SHELL"), runtime.GOOS).Join(shell.Literals(words...))
	if err != nil {
		return ""
	}
	return text
}

// diffEarlier compares a response with that of the call of the same item before the
// other one.
func (m *model) diffEarlier(a action.DiffEarlier) tea.Cmd {
	s := m.session.Store()
	return func() tea.Msg {
		request, _ := s.Related(a.Old)
		r, ok := s.Row(request)
		if ok {
			name := itemOf(s, request)
			for i := request - 1; i >= max(0, request-maxEarlier); i-- {
				before, _ := s.Row(i)
				if before.Kind == jsonrpc.Request && before.Dir == r.Dir && before.Method == r.Method && before.Pair != store.None && itemOf(s, i) == name {
					return readMsg{action.DiffRows{Old: before.Pair, New: a.New}}
				}
			}
		}
		return readMsg{action.Flash{Text: "There is no earlier call to compare with."}}
	}
}

// maxEarlier is how many frames before a call are searched for an earlier one.
const maxEarlier = 20_000

// itemOf is the tool, prompt or resource that a request is about.
func itemOf(s *store.Store, row int32) string {
	head, err := s.Head(row, 4<<10)
	if err != nil {
		return ""
	}
	params, _ := jsonrpc.Start(head, "params")
	for _, member := range []string{"name", "uri"} {
		if v, ok := jsonrpc.Start(params, member); ok {
			text, _ := jsonrpc.Unquote(v)
			return text
		}
	}
	return ""
}

// argumentsOf are those of a call; nil without.
func argumentsOf(params []byte) []byte {
	object, _ := jsonrpc.Member(params, "arguments")
	return object
}

// originOf is the scheme, host and port of a URL; empty for a text that is not one.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
