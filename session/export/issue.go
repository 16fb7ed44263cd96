package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/check/report"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record"
)

const (
	// maxSent bounds the number of a host's methods that a report lists.
	maxSent = 100
	// maxEvidence bounds the number of frames that a report contains as evidence.
	maxEvidence = 200
	// maxEvidenceBytes bounds the total size of the evidence, in bytes.
	maxEvidenceBytes = 16 << 20
	// maxOfRule bounds the findings of a rule that are written with frames.
	maxOfRule = 3
	// ownClient is the name of mcptea as a client.
	ownClient = "mcptea"
)

// host describes the client of a recorded session that is not mcptea.
type host struct {
	name, version, title string
	client               []byte // clientInfo, raw, redacted
	offered              string // protocol version that the host requested
	revision             string // protocol version of the session
	capabilities         []byte // raw, redacted
	sent                 []sentMethod
	more                 int // number of messages whose methods are not in sent
	pairs                map[int32]int32
	ended, gap           bool
}

// A sentMethod is a method whose messages a host has sent.
type sentMethod struct {
	method string // empty for responses
	count  int
	first  int32 // number of the first frame
}

// writeIssue writes a report about the host of a tapped session: its name and version, the messages
// that it sent, and the findings about it, with frames as evidence. Findings about the server are
// added only with [Options.ServerFindings]. For a session of mcptea itself, it writes the report
// about the server.
func (s *session) writeIssue() error {
	h, err := s.readHost()
	if err != nil {
		return err
	}
	if !s.ofHost(h) {
		s.report("the client of the recording is mcptea: the report is about the server; mcptea tap records a host")
		return s.writeMarkdown()
	}
	s.isHost = true
	sum, err := s.summarize()
	if err == nil {
		err = s.collectChanges()
	}
	if err != nil {
		return err
	}
	h.revision = cmp.Or(sum.Connection.Revision, h.offered)
	var mine, others []lint.Finding
	for _, f := range sum.Findings {
		if f.Fault == lint.Client {
			mine = append(mine, f)
		} else {
			others = append(others, f)
		}
	}
	w := &markdown{session: s}
	w.host(h, sum)
	w.sent(h)
	shown, err := w.evidence(h, mine)
	if err != nil {
		return err
	}
	w.hostFindings(h, mine, shown)
	if s.ServerFindings {
		w.findings("Findings about the server", others, sum.More)
	}
	w.checkSize()
	return nil
}

// ofHost reports whether the client of the session is a program other than mcptea.
func (s *session) ofHost(h *host) bool {
	if h.name != "" {
		return h.name != ownClient
	}
	return s.Header.IsTap()
}

// wrapped returns the name of the server in the configuration of the host, as HOST/SERVER, or "" if
// the name is unknown.
func (s *session) wrapped() string {
	_, as, _ := strings.Cut(s.Header.Tool, " tap ")
	return as
}

// readHost reads the session once, and returns what it shows about the host.
func (s *session) readHost() (*host, error) {
	h := &host{pairs: map[int32]int32{}}
	matcher := newMatcher()
	for e, err := range s.events() {
		if err != nil {
			return nil, err
		}
		switch {
		case e.Kind == record.KindConnection && !e.Connection.Beside:
			h.ended = e.Connection.What == record.ConnectionClosed
		case e.IsGap():
			h.gap = true
		}
		m := match(matcher, e)
		if e.Kind != record.KindFrame || e.Beside || e.App {
			continue
		}
		if r := m.Message.Request; r >= 0 && m.Message.Kind.IsResponse() && len(h.pairs) < maxEvidence*maxSent {
			h.pairs[r], h.pairs[e.Number-1] = e.Number-1, r
		}
		if e.Frame.Dir == transport.Out && e.Frame.Side == transport.Both {
			h.add(&m)
		}
	}
	return h, nil
}

// add adds a frame of the host.
func (h *host) add(m *matched) {
	f := &m.Frame
	params := f.Envelope.Params.Of(f.Bytes)
	method := ""
	if !f.Envelope.Kind.IsResponse() {
		method = phrase.Clip(m.Message.Method, maxMethod)
	}
	if method == "initialize" {
		h.declares(jsonrpc.Get(params, "clientInfo"), jsonrpc.Get(params, "capabilities"), jsonrpc.Text(params, "protocolVersion"))
	} else if info := jsonrpc.Get(params, "_meta", revision.MetaClientInfo); info != nil && h.client == nil {
		h.declares(info, jsonrpc.Get(params, "_meta", revision.MetaClientCapabilities), jsonrpc.Text(params, "_meta", revision.MetaProtocolVersion))
	}
	at := slices.IndexFunc(h.sent, func(s sentMethod) bool { return s.method == method })
	switch {
	case at >= 0:
		h.sent[at].count++
	case len(h.sent) == maxSent:
		h.more++
	default:
		h.sent = append(h.sent, sentMethod{method, 1, m.Number})
	}
}

// maxMethod bounds the name of a method in a report, in bytes.
const maxMethod = 100

func (h *host) declares(info, capabilities []byte, offered string) {
	h.client, h.capabilities, h.offered = slices.Clone(info), slices.Clone(capabilities), offered
	h.name, h.version, h.title = jsonrpc.Text(info, "name"), jsonrpc.Text(info, "version"), jsonrpc.Text(info, "title")
}

// String names the host for a title.
func (h *host) String() string {
	return strings.TrimSpace(cmp.Or(h.name, "MCP host without a name") + " " + h.version)
}

// host writes the description of the host and of the session in which it was seen.
func (w *markdown) host(h *host, sum *summary) {
	w.text("# %s as an MCP client\n\n| | |\n|---|---|\n", mdText(h.String()))
	row := func(name, value string) {
		if value != "" {
			w.text("| %s | %s |\n", name, mdText(value))
		}
	}
	row("Host", strings.TrimSpace(cmp.Or(h.title, h.name)+" "+h.version))
	row("Configured as", w.wrapped())
	row("Requested protocol version", h.offered)
	row("Protocol version of the session", sum.Connection.Revision)
	row("Transport", cmp.Or(sum.Connection.Transport, w.Header.Transport))
	row("Server", sum.Connection.Server)
	row("Started", sum.Started.UTC().Format(time.RFC3339))
	row("Duration", phrase.Duration(sum.Lasted))
	row("Frames", fmt.Sprintf("%d of the host, %d of the server", sum.frames.Out, sum.frames.In))
	row("Recorded by", w.Header.Tool)
	w.text("\nThe tap forwards and records the bytes of both sides.")
	if w.Redactor != nil {
		w.text(" Secrets are redacted.")
	}
	if !h.ended || h.gap {
		w.text(" The recording is not complete: missing messages may have been sent.")
	}
	w.text("\n\n")
	if h.client != nil {
		w.text("clientInfo:\n\n")
		w.code("json", visible(phrase.Clip(h.client, maxMarkdownFrame)))
	}
	if h.capabilities != nil {
		w.text("Capabilities:\n\n")
		w.code("json", visible(phrase.Clip(h.capabilities, maxMarkdownFrame)))
	}
}

// sent writes the methods of the messages that the host has sent.
func (w *markdown) sent(h *host) {
	w.text("## Messages of the host\n\n")
	if len(h.sent) == 0 {
		w.text("Nothing.\n\n")
		return
	}
	w.text("| method | messages | first frame |\n|---|---|---|\n")
	for _, s := range h.sent {
		w.text("| %s | %d | %d |\n", mdText(cmp.Or(s.method, "(responses)")), s.count, s.first)
	}
	if h.more > 0 {
		w.text("\n%s of other methods.\n", phrase.Count(h.more, "message"))
	}
	w.text("\n")
}

// evidence reads the frames that prove the findings: the frames of the findings, related frames,
// and the request or response of each.
func (w *markdown) evidence(h *host, findings []lint.Finding) (map[int32]*matched, error) {
	wanted := map[int32]bool{}
	for i := range findings {
		for _, row := range evidenceOf(&findings[i], h) {
			if len(wanted) < maxEvidence {
				wanted[row] = true
			}
		}
	}
	shown, size := map[int32]*matched{}, 0
	for e, err := range w.matched() {
		if err != nil {
			return nil, err
		}
		if e.Kind != record.KindFrame || !wanted[e.Number-1] {
			continue
		}
		if size += len(e.Frame.Bytes); size > maxEvidenceBytes {
			break
		}
		e.Frame.Bytes = slices.Clone(e.Frame.Bytes)
		shown[e.Number-1] = &e
	}
	return shown, nil
}

// evidenceOf returns the rows of the frames that prove a finding, in order.
func evidenceOf(f *lint.Finding, h *host) []int32 {
	rows := append([]int32{f.Row}, f.Related...)
	for _, row := range rows {
		if other, ok := h.pairs[row]; ok {
			rows = append(rows, other)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// hostFindings writes the findings about the host by rule. Only the first findings of each rule
// have frames.
func (w *markdown) hostFindings(h *host, findings []lint.Finding, shown map[int32]*matched) {
	w.text("## Findings about the host\n\n")
	if len(findings) == 0 {
		w.text("None: the rules have no findings about the messages of the host.\n\n")
		return
	}
	written := map[int32]bool{}
	for _, rule := range rulesOf(findings) {
		w.text("### %s %s (%s)\n\n", rule.ID, mdText(rule.Slug), rule.DefaultSeverity)
		n := 0
		for i := range findings {
			f := &findings[i]
			if f.Rule.ID != rule.ID {
				continue
			}
			if n++; n > maxOfRule {
				continue
			}
			w.text("%s\n\n", mdText(f.Message))
			for _, row := range evidenceOf(f, h) {
				w.shownFrame(row, shown, written)
			}
			if n == 1 && f.Hint != "" {
				w.text("What to do: %s\n\n", mdText(f.Hint))
			}
		}
		if n > maxOfRule {
			w.text("%d more of this rule.\n\n", n-maxOfRule)
		}
		w.source(rule, h)
	}
}

// shownFrame writes a frame of the evidence. It writes each frame once.
func (w *markdown) shownFrame(row int32, shown map[int32]*matched, written map[int32]bool) {
	switch m := shown[row]; {
	case written[row]:
		w.text("Frame %d: see above.\n\n", row+1)
	case m != nil:
		written[row] = true
		w.frame(m)
	case row >= 0:
		w.text("Frame %d is not in this report.\n\n", row+1)
	}
}

// source writes the specification or source of a rule.
func (w *markdown) source(rule *lint.Entry, h *host) {
	if address := report.SpecURL(rule.Spec, h.revision); address != "" {
		w.text("Specification: <%s>\n\n", address)
	} else if rule.Spec != "" {
		w.text("Source: %s\n\n", mdText(rule.Spec))
	}
	if rule.Basis == lint.Heuristic {
		w.text("The rule goes by wording, timing or similarity, and can be wrong.\n\n")
	}
}

// rulesOf returns the rules of findings, without repetitions, in the order of their first findings.
func rulesOf(findings []lint.Finding) (all []*lint.Entry) {
	for i := range findings {
		if rule := findings[i].Rule; !slices.Contains(all, rule) {
			all = append(all, rule)
		}
	}
	return all
}
