package export

import (
	"fmt"
	"strings"

	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/sequence"
)

// maxMermaid is the maximum length of a diagram in the default configuration of Mermaid
// (maxTextSize), in characters.
const maxMermaid = 50_000

// maxBeforeReady bounds the number of events that are searched for the name of the server.
const maxBeforeReady = 10_000

// writeMermaid writes a sequence diagram.
func (s *session) writeMermaid() error {
	server := "Server"
	size := 0
	line := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		size += len(text) + 1
		s.print(text, "\n")
	}
	events := 0
	for e, err := range s.Events { // the name of the server is at the top
		if err != nil {
			return err
		}
		if events++; events > maxBeforeReady {
			break
		}
		if e.Kind == record.KindConnection && e.Connection.Server != "" {
			server = e.Connection.Server
			if s.Redactor != nil {
				server = s.Redactor.text(server)
			}
			break
		}
	}
	line("sequenceDiagram")
	line("    participant C as Client")
	line("    participant S as %s", mermaidText(server, 60))
	apps := false
	for e, err := range s.matched() {
		if err != nil {
			return err
		}
		switch e.Kind {
		case record.KindFrame:
			if e.App && !apps {
				apps = true
				line("    participant A as App")
			}
			line("    %s", mermaidFrame(e.Message, e.App))
		case record.KindChange:
			line("    Note over C,S: %s", mermaidText(fmt.Sprintf("%d %s", e.Change.Row+1, e.Change.Text()), 80))
		case record.KindDelivery:
			line("    S->>C: %s", mermaidText(deliveryText(&e.Event), 80))
		case record.KindProcess:
			if e.Process.What == transport.ProcessExited {
				line("    Note over S: %s", mermaidText(exitText(e.Process), 80))
			}
		case record.KindConnection:
			if e.Connection.What == record.ConnectionClosed && !e.App && e.Connection.Reason != "" {
				line("    Note over C,S: %s", mermaidText(e.Connection.Reason, 80))
			}
		}
		if err := s.full(); err != nil {
			return err
		}
	}
	if size > maxMermaid {
		s.report("the diagram has %d characters; Mermaid draws %d unless maxTextSize is raised: select fewer frames with --filter or --frames", size, maxMermaid)
	}
	return nil
}

func mermaidFrame(m *sequence.Message, app bool) string {
	from, to := "C", "S"
	if app {
		to = "A"
	}
	if m.Dir == transport.In {
		from, to = to, from
	}
	arrow := map[sequence.Arrow]string{sequence.Request: "->>", sequence.Response: "-->>", sequence.Notification: "-)", sequence.Failure: "--x"}[m.Arrow()]
	return fmt.Sprintf("%s%s%s: %s", from, arrow, to, mermaidText(fmt.Sprintf("%d %s", m.Row+1, m.Label()), 80))
}

func exitText(p *transport.ProcessEvent) string {
	if p.Signal != "" {
		return "process ended by " + p.Signal
	}
	return fmt.Sprintf("process exited with code %d", p.ExitCode)
}

// mermaidText escapes a text for a label, and truncates it. Mermaid reads #NN; as a character. All
// characters that may have a meaning are written in this form.
func mermaidText(text string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		switch {
		case r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0:
			b.WriteByte(' ')
		case r == ' ' || r == '/' || r == '.' || r == '-' || r == '_' || r == '(' || r == ')' || r == ',' ||
			r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	if strings.TrimSpace(b.String()) == "" {
		return "-"
	}
	return b.String()
}
