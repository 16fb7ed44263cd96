package export

import (
	"cmp"
	"fmt"
	"html"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mcptea/check/report"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record"
)

const (
	// maxIssue is the maximum number of characters that GitHub accepts in an issue.
	maxIssue = 65_536
	// maxMarkdownFrame bounds the part of a frame that is written, in bytes.
	maxMarkdownFrame = 16 << 10
	// foldedFrame is the size above which a frame is folded, in bytes.
	foldedFrame = 1000
)

// writeMarkdown writes a report for an issue: the server, how mcptea connected to it, the findings, and the
// frames.
func (s *session) writeMarkdown() error {
	sum, err := s.summarize()
	if err != nil {
		return err
	}
	if err := s.collectChanges(); err != nil {
		return err
	}
	w := &markdown{session: s}
	w.head(sum)
	w.steps(sum)
	w.findings("Findings", sum.Findings, sum.More)
	w.stderr(sum)
	w.text("## Frames\n\n")
	for e, err := range s.matched() {
		switch {
		case err != nil:
			return err
		case e.Kind == record.KindFrame:
			w.frame(&e)
		case e.Kind == record.KindDelivery:
			w.delivery(&e)
		case e.Number > 0:
			w.text("**%d** %s\n\n", e.Number, mdText(rowText(&e.Event)))
		}
		if err := s.full(); err != nil {
			return err
		}
	}
	w.checkSize()
	return nil
}

// checkSize reports when the report is too long for an issue.
func (w *markdown) checkSize() {
	if w.size > maxIssue {
		w.report("the report has %d characters, and GitHub accepts %d in an issue: select fewer frames with --filter or --frames, or attach it as a file", w.size, maxIssue)
	}
}

type markdown struct {
	*session
	size int // characters so far
}

func (w *markdown) text(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.size += utf8.RuneCountInString(text)
	w.print(text)
}

func (w *markdown) head(sum *summary) {
	w.text("# Session with %s\n\n| | |\n|---|---|\n", mdText(sum.name()))
	row := func(name, value string) {
		if value != "" {
			w.text("| %s | %s |\n", name, mdText(value))
		}
	}
	over := cmp.Or(sum.Connection.Transport, w.Header.Transport)
	row("Server", sum.Connection.Server)
	w.eachFact(sum, map[string]string{"stdio": "stdio", "http": "Streamable HTTP", "sse": "HTTP+SSE"}[over], row)
	row("Started", sum.Started.UTC().Format(time.RFC3339))
	row("Duration", phrase.Duration(sum.Lasted))
	sum.end(row)
	for _, reason := range sum.Closed {
		row("Closed", reason)
	}
	w.text("\n")
}

func (w *markdown) steps(sum *summary) {
	if len(sum.Steps) == 0 {
		return
	}
	w.text("## Connecting\n\n| step | state | took | |\n|---|---|---|---|\n")
	for _, st := range sum.Steps {
		w.text("| %s | %s | %s | %s |\n", mdText(st.Name), mdText(st.State), phrase.Duration(st.Took), mdText(st.Detail))
	}
	w.text("\n")
}

func (w *markdown) findings(title string, findings []lint.Finding, more int) {
	w.text("## %s\n\n", title)
	if len(findings) == 0 {
		w.text("None.\n\n")
		return
	}
	for i := range findings {
		f, frame := &findings[i], ""
		if f.Row >= 0 {
			frame = fmt.Sprintf(", frame %d", f.Row+1)
		}
		w.text("- **%s** %s %s%s: %s %s\n%s", f.Severity, f.Rule.ID, mdText(f.Rule.Slug), frame, mdText(f.Message), mdText(f.Hint),
			report.MarkdownFacts(report.LintFacts(f, report.Frames), mdText))
	}
	if more > 0 {
		w.text("\n%d more.\n", more)
	}
	w.text("\n")
}

func (w *markdown) stderr(sum *summary) {
	if sum.StderrTotal == 0 {
		return
	}
	w.text("## Standard error\n\n")
	if sum.StderrTotal > len(sum.Stderr) {
		w.text("The last %d of %d lines.\n\n", len(sum.Stderr), sum.StderrTotal)
	}
	w.code("text", visible(strings.Join(sum.Stderr, "\n")))
}

func (w *markdown) frame(e *matched) {
	arrow := "→"
	if e.Frame.Dir == transport.In {
		arrow = "←"
	}
	if e.App {
		arrow = "app " + arrow
	}
	title := fmt.Sprintf("%s %s", arrow, e.Message.Label())
	if m := e.Message; m.Request >= 0 && m.Kind.IsResponse() {
		title += fmt.Sprintf(", request %d", m.Request+1)
	}
	if by := callerOf(e); by != "" {
		title += ", " + by
	}
	folded := len(e.Frame.Bytes) > foldedFrame
	if folded {
		w.text("<details><summary><b>%d</b> %s</summary>\n\n", e.Number, html.EscapeString(visible(title)))
	} else {
		w.text("**%d** %s\n\n", e.Number, mdText(title))
	}
	w.note(e.Number)
	w.bytes(e.Frame.Bytes)
	if c := w.changeOf(&e.Event); c != nil {
		w.text("Frame %d %s.\n\n", e.Number, mdText(c.Text()))
		if c.Received != nil {
			w.text("Received:\n\n")
			w.bytes(c.Received)
		}
		for _, frame := range c.Sent {
			w.text("Sent on:\n\n")
			w.bytes(frame)
		}
	}
	if folded {
		w.text("</details>\n\n")
	}
}

// note writes the note of the user on a row.
func (w *markdown) note(number int32) {
	note := w.notes[number-1]
	if note == "" {
		return
	}
	if w.Redactor != nil {
		note = w.Redactor.text(note)
	}
	w.text("> %s\n\n", mdText(note))
}

// bytes writes the start of a frame. JSON is indented.
func (w *markdown) bytes(frame []byte) {
	language, cut := "json", 0
	if jsonrpc.Scan(frame).Kind == jsonrpc.Invalid {
		language = "text"
	}
	text := string(frame[:min(len(frame), maxMarkdownFrame)])
	if language == "text" || len(frame) > maxMarkdownFrame {
		cut = len(frame) - maxMarkdownFrame
	} else {
		text = jsonrpc.Indented(frame)
	}
	w.code(language, visible(text))
	if cut > 0 {
		w.text("%d more bytes.\n\n", cut)
	}
}

// code writes a fenced block. The fence is longer than any fence in the text.
func (w *markdown) code(language, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	w.text("%s%s\n%s\n%s\n\n", fence, language, strings.TrimRight(text, "\n"), fence)
}

// rowText describes a row that is not a frame.
func rowText(e *Event) string {
	switch e.Kind {
	case record.KindProcess:
		return exitText(e.Process)
	case record.KindHTTP:
		text := fmt.Sprintf("%s %s → %d", e.Exchange.Method, e.Exchange.URL, e.Exchange.Status)
		if e.Exchange.Err != "" {
			text += " " + e.Exchange.Err
		}
		return text
	}
	if e.Kind == record.KindDelivery {
		return deliveryText(e)
	}
	return e.Text
}

// deliveryText describes a POST to a callback and its outcome.
func deliveryText(e *Event) string {
	return strings.TrimRight("delivery "+e.Delivery.Name([]byte(e.Text)), " ") + " → " + e.Delivery.Line()
}

// delivery writes a POST to a callback with its headers and its body.
func (w *markdown) delivery(e *matched) {
	title := deliveryText(&e.Event)
	if e.Subscription > 0 {
		title += fmt.Sprintf(", subscription %d", e.Subscription)
	}
	w.text("**%d** ← %s\n\n", e.Number, mdText(title))
	w.note(e.Number)
	for _, field := range e.Delivery.Fields() {
		w.text("- %s: %s\n", mdText(field[0]), mdText(field[1]))
	}
	w.text("\n")
	if e.Text != "" {
		w.bytes([]byte(e.Text))
	}
}

// mdText escapes a text for a paragraph or a cell of a table, in one line.
func mdText(text string) string {
	var b strings.Builder
	for _, r := range visible(text) {
		switch r {
		case '\n', '\t':
			b.WriteByte(' ')
		case '<':
			b.WriteString("&lt;")
		case '&':
			b.WriteString("&amp;")
		case '\\', '|', '*', '_', '`', '[', ']', '#', '~', '>', '!', '@':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// visible replaces control and invisible characters, and invalid UTF-8, by escapes.
// Line breaks and tabs stay.
func visible(text string) string {
	clean := func(r rune) bool {
		return r == '\n' || r == '\t' || r != utf8.RuneError && !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r)
	}
	if strings.IndexFunc(text, func(r rune) bool { return !clean(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case clean(r) || r == utf8.RuneError:
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}
