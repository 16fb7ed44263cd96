package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/check/report"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/offer/diff"
	"mcptea/record"
	"mcptea/record/filter"
	"mcptea/record/sequence"
	"mcptea/record/store"
	"mcptea/session/explain/card"
	"mcptea/session/runs/replay"
)

type trafficInput struct {
	Which
	Filter string `json:"filter,omitempty" jsonschema:"words and properties that all must hold, such as: method:tools/* status:error"`
	After  int32  `json:"after,omitempty" jsonschema:"only frames with a greater number; without it the newest ones"`
	Limit  int    `json:"limit,omitempty" jsonschema:"number of frames, 50 if 0, at most 500"`
}

type trafficOutput struct {
	Total  int      `json:"total" jsonschema:"frames that pass the filter"`
	Frames []string `json:"server_frames" jsonschema:"number, seconds since the first frame, direction, what it is, and size in bytes"`
	More   bool     `json:"more,omitempty" jsonschema:"there are more frames; use after or a filter"`
}

func (t turn) traffic(in trafficInput) (trafficOutput, error) {
	out := trafficOutput{Frames: []string{}}
	f, err := filter.Parse(in.Filter)
	if err != nil {
		return out, fmt.Errorf("filter: %w", err)
	}
	rows := f.Rows(t.s.Store())
	out.Total = len(rows)
	rows, out.More = page(rows, in.After, in.Limit)
	first, _ := t.s.Store().Row(0)
	for _, i := range rows {
		if row, ok := t.s.Store().Row(i); ok {
			out.Frames = append(out.Frames, t.line(i, &row, time.Unix(0, first.Time)))
		}
	}
	return out, nil
}

// The numbers of frames in one response: an agent pays for each.
const (
	defaultFrames = 50
	maxFrames     = 500
)

// page returns the first rows after a frame number, or the newest ones if it is 0. more reports whether there
// are others.
func page(rows []int32, after int32, limit int) (some []int32, more bool) {
	if limit = min(limit, maxFrames); limit <= 0 {
		limit = defaultFrames
	}
	if after > 0 {
		i, _ := slices.BinarySearch(rows, after) // row numbers are frame numbers less one
		rows = rows[i:]
		return rows[:min(limit, len(rows))], len(rows) > limit
	}
	return rows[max(0, len(rows)-limit):], len(rows) > limit
}

// line returns a row in one line.
func (c *connection) line(i int32, r *store.Row, start time.Time) string {
	st := c.s.Store()
	dir := "client→server"
	if r.Dir == transport.In {
		dir = "server→client"
	}
	what := r.Kind.String()
	if m := st.Method(r.Method); m != "" {
		what = m + " " + what
	}
	head, err := st.Head(i, 4096)
	if err == nil && r.IsFrame() {
		if id := string(r.IDOf(head)); id != "" {
			what += " id " + id
		}
	}
	w := sequence.WordsOf(r.Kind, st.Method(r.Method), head, r.ReadFault())
	if w.Name != "" && r.IsFrame() {
		what += " " + w.Name
	}
	if !r.IsFrame() && err == nil {
		dir, what = "event", strings.TrimLeft(w.Noun+" "+w.Name+" "+w.Text, " ")
	}
	switch r.Kind {
	case jsonrpc.ErrorResponse:
		x, _ := st.ExchangeOf(r.Exchange)
		what += " " + cmp.Or(r.ErrorCode().String(), sequence.ErrorPhrase(r.ErrorCode(), x.Status)) + " " + w.Text
	case jsonrpc.Notification:
		what += " " + w.Text
	case store.KindExchange, store.KindDelivery:
		what += fmt.Sprintf(" %d", r.Status())
	}
	if r.Pair != store.None && r.Dir == transport.In {
		if q, ok := st.Row(r.Pair); ok {
			what += fmt.Sprintf(" of frame %d after %s", r.Pair+1, phrase.Duration(time.Duration(r.Time-q.Time)))
		}
	}
	return clip(fmt.Sprintf("%d +%.3f %s %s, %d bytes", i+1, time.Unix(0, r.Time).Sub(start).Seconds(), dir, what, r.Size), 300)
}

type oneFrameInput struct {
	Which
	Number   int32 `json:"number" jsonschema:"number of the frame, from 1"`
	Offset   int   `json:"offset,omitempty" jsonschema:"first byte"`
	MaxChars int   `json:"max_chars,omitempty" jsonschema:"maximum number of bytes, 4000 if 0"`
}

type oneFrameOutput struct {
	Line     string   `json:"server_line"`
	Bytes    string   `json:"server_bytes" jsonschema:"as on the wire; bytes that are not UTF-8 are replaced"`
	Next     int      `json:"next_offset,omitempty"`
	Size     int      `json:"size"`
	Pair     int32    `json:"pair,omitempty" jsonschema:"number of the request or response"`
	HTTP     string   `json:"http,omitempty"`
	Findings []string `json:"findings,omitempty"`
	Tokens   int      `json:"estimated_tokens"`
}

func (t turn) frame(in oneFrameInput) (oneFrameOutput, error) {
	var out oneFrameOutput
	row, body, err := t.body(in.Number)
	if err != nil {
		return out, err
	}
	first, _ := t.s.Store().Row(0)
	out.Line = t.line(in.Number-1, &row, time.Unix(0, first.Time))
	out.Bytes, out.Next = part(body, in.Offset, size(in.MaxChars))
	out.Size, out.Tokens = len(body), tokensOf(string(body))
	if row.Pair != store.None {
		out.Pair = row.Pair + 1
	}
	if x, ok := t.s.Store().ExchangeOf(row.Exchange); ok && row.Exchange > 0 {
		out.HTTP = clip(fmt.Sprintf("%s %s → %d %s", x.Method, x.URL, x.Status, x.ResponseHeader.Get("Content-Type")), 400)
	}
	out.Findings = t.findingsAt(in.Number - 1)
	return out, nil
}

func (c *connection) body(number int32) (store.Row, []byte, error) {
	row, ok := c.s.Store().Row(number - 1)
	if !ok {
		return row, nil, fmt.Errorf("there is no frame %d; there are %d", number, c.s.Store().Snapshot().Rows)
	}
	body, err := c.s.Store().Body(number - 1)
	return row, body, err
}

type findingsInput struct {
	Which
	Severity string `json:"severity,omitempty" jsonschema:"lowest severity: error, warn or info; warn if empty"`
	Limit    int    `json:"limit,omitempty" jsonschema:"number of rules, 20 if 0"`
}

type findingOutput struct {
	Rule     string  `json:"rule"`
	Severity string  `json:"severity"`
	Fault    string  `json:"responsible" jsonschema:"client or server"`
	Count    int     `json:"count"`
	Frames   []int32 `json:"frames"`
	Message  string  `json:"server_message" jsonschema:"message of the newest finding; it may quote the server"`
	Hint     string  `json:"fix,omitempty"`
	// Facts are of the newest one, in the words of the other faces.
	Facts []string `json:"server_facts,omitempty" jsonschema:"evidence of the newest finding; it quotes the server"`
}

type findingsOutput struct {
	Findings []findingOutput `json:"findings" jsonschema:"the worst first"`
	More     int             `json:"more_rules,omitempty"`
}

func (t turn) findings(in findingsInput) (findingsOutput, error) {
	out := findingsOutput{Findings: []findingOutput{}}
	least, err := leastOf(in.Severity)
	if err != nil {
		return out, err
	}
	limit := in.Limit
	if limit <= 0 {
		limit = 20
	}
	t.linted(t)
	for _, g := range t.s.Findings().Groups {
		if g.Muted || g.Newest.Self || g.Severity > least {
			continue
		}
		if len(out.Findings) == limit {
			out.More++
			continue
		}
		f := findingOutput{
			Rule: g.Rule.ID, Severity: g.Severity.String(), Fault: g.Newest.Fault.String(), Count: g.Count,
			Message: clip(g.Newest.Message, 400), Hint: clip(g.Newest.Hint, 400), Frames: []int32{},
		}
		for _, one := range g.Findings {
			if len(f.Frames) < 10 && one.Row >= 0 {
				f.Frames = append(f.Frames, one.Row+1)
			}
		}
		f.Facts = t.facts(g.Newest)
		out.Findings = append(out.Findings, f)
	}
	return out, nil
}

// maxQuoted bounds the frames that findings are read from, in bytes.
const maxQuoted = 1 << 20

// facts returns the evidence of a finding, as in check.
func (c *connection) facts(f lint.Finding) []string {
	st := c.s.Store()
	if row, ok := st.Row(f.Row); ok && row.IsFrame() && row.Size <= maxQuoted {
		if body, err := st.Body(f.Row); err == nil {
			e := lint.ExcerptOf(secret.JSON(body, nil, c.s.Redact), f.Path, f.Offset)
			e.Dir = row.Dir
			f.Excerpt = &e
		}
	}
	return factsOf(report.LintFacts(&f, report.Frames), report.HeadSide, report.HeadRule)
}

// maxFact bounds each fact of a finding, in bytes.
const maxFact = 300

// factsOf returns facts as lines. It leaves out facts that the result contains elsewhere.
func factsOf(facts []report.Fact, said ...report.Head) (lines []string) {
	for _, fact := range facts {
		if !fact.OfProbe && fact.Gives < report.Detail && (fact.Head == report.NoHead || !slices.Contains(said, fact.Head)) {
			lines = append(lines, fact.Label+": "+fact.Excerpt(maxFact))
		}
	}
	return lines
}

// leastOf returns the minimum severity that a caller has named; the default is a warning.
func leastOf(name string) (least record.Severity, err error) {
	if least = record.SeverityWarning; name != "" {
		if err = least.UnmarshalText([]byte(name)); err != nil {
			err = fmt.Errorf("severity: %w", err)
		}
	}
	return least, err
}

// linted waits a little until all frames are checked.
func (c *connection) linted(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_ = c.s.AwaitLint(ctx) // findings about unchecked frames follow in a later answer
}

type explainInput struct {
	Term string `json:"term" jsonschema:"such as -32602, J015, tools/call, 404 or Mcp-Session-Id"`
}

type explainOutput struct {
	Card card.Card `json:"card"`
}

func (a *agent) explain(_ turn, in explainInput) (explainOutput, error) {
	c, ok := card.Find(in.Term, card.Where{})
	if !ok {
		return explainOutput{}, fmt.Errorf("there is no card about %q; terms are error codes, lint rules, methods, HTTP statuses, headers, capabilities and connect steps", in.Term)
	}
	return explainOutput{Card: c}, nil
}

type openInput struct {
	Path string `json:"path" jsonschema:"file of the recording"`
	Name string `json:"name,omitempty" jsonschema:"name of the connection; recording if empty"`
}

func (a *agent) openRecording(t turn, in openInput) (statusOutput, error) {
	s, err := a.options.OpenRecording(in.Path)
	if err != nil {
		return statusOutput{}, err
	}
	name := in.Name
	if name == "" {
		name = "recording"
	}
	a.noteOpened()
	c := &connection{name: name, s: s, recording: in.Path}
	if err := a.add(c); err != nil {
		c.close()
		return statusOutput{}, err
	}
	c.read(t)
	return statusOf(c), nil
}

// read waits a little until a recording is read to its end, and checked.
func (c *connection) read(ctx context.Context) {
	atEnd := c.until(ctx, 20*time.Second, func() bool {
		rec, ok := c.s.Recording()
		return !ok || rec.Size > 0 && rec.Read >= rec.Size
	})
	if atEnd {
		c.linted(ctx)
	}
}

type diffInput struct {
	Old string `json:"old" jsonschema:"name of the connection or recording that is the baseline"`
	New string `json:"new,omitempty" jsonschema:"name of the other connection or recording; the newest if empty"`
}

type diffOutput struct {
	Breaking int      `json:"breaking"`
	Changes  []string `json:"server_changes" jsonschema:"! marks a change that breaks clients"`
	More     int      `json:"more,omitempty"`
}

func (a *agent) diffTools(t turn, in diffInput) (diffOutput, error) {
	out := diffOutput{Changes: []string{}}
	old, err := a.offer(t, in.Old)
	if err != nil {
		return out, err
	}
	now, err := a.offer(t, in.New)
	if err != nil {
		return out, err
	}
	for _, change := range diff.Servers(old, now) {
		sign := " "
		if change.Breaking {
			sign = "!"
			out.Breaking++
		}
		if len(out.Changes) == 200 {
			out.More++
			continue
		}
		out.Changes = append(out.Changes, clip(fmt.Sprintf("%s %s %s: %s", sign, change.Kind, change.Place(), change.Reason), 400))
	}
	return out, nil
}

// offer returns what the server of a connection offers.
func (a *agent) offer(ctx context.Context, name string) (diff.Server, error) {
	c, err := a.find(name)
	if err != nil {
		return diff.Server{}, err
	}
	if c.recording == "" {
		for _, kind := range client.ListKinds {
			if l := c.s.State().Lists[kind.Name]; l.Offered {
				if _, err := c.list(ctx, kind); err != nil {
					return diff.Server{}, err
				}
			}
		}
	}
	t, err := replay.Read(ctx, c.s.Store())
	if err != nil {
		return diff.Server{}, err
	}
	return t.Server()
}
