package intercept

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mcptea/client/transport"
)

// maxQuoted is how much of a frame a report quotes, in bytes.
const maxQuoted = 64 << 10

// Text is a sentence for the record. It quotes what the record has no frame of: the
// bytes that were received if they are not recorded, else what was sent in their
// place. The bytes of the peers may be secret and are as in frames.
func (r *Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "intercept: %s", r.subject())
	if r.Held.Breakpoint != 0 {
		fmt.Fprintf(&b, " was held for %s by breakpoint %d", transport.FormatDuration(r.Took), r.Held.Breakpoint)
		fmt.Fprintf(&b, " and %s", r.outcome())
	} else {
		fmt.Fprintf(&b, " was changed by the fault %s after %s", strings.Join(r.Faults, ", "), transport.FormatDuration(r.Took))
	}
	if !r.Changed() {
		return b.String()
	}
	if r.Held.Row == noRow {
		fmt.Fprintf(&b, "; before: %s", quote(r.Held.Bytes))
	}
	switch {
	case len(r.Replies) > 0:
		fmt.Fprintf(&b, "; response: %s", quote(r.Replies...))
	case r.Held.Row == noRow:
	case len(r.Sent) == 0:
		b.WriteString("; nothing was sent on")
	default:
		fmt.Fprintf(&b, "; sent on: %s", quote(r.Sent...))
	}
	return b.String()
}

func (r *Report) subject() string {
	name := r.Held.Method
	if r.Held.Kind.String() != "request" && r.Held.Kind.String() != "notification" {
		name = strings.TrimSpace(r.Held.Kind.String() + " " + name)
	}
	if r.Held.MessageID != "" {
		name += " id " + string(r.Held.MessageID[:min(len(r.Held.MessageID), 64)])
	}
	if r.Held.Dir == transport.In {
		return name + " of the server"
	}
	return name + " of the client"
}

func (r *Report) outcome() string {
	switch r.Reason {
	case byDeadline:
		return "forwarded at the time limit"
	case byRelease:
		return "forwarded with all others"
	}
	text := map[Action]string{
		Forward: "forwarded", Drop: "dropped", Duplicate: "forwarded twice", Delay: "delayed", Respond: "answered by hand",
	}[r.Decision.Action]
	if r.Decision.Delay > 0 {
		text = "delayed by " + r.Decision.Delay.String()
	}
	if r.Decision.Bytes != nil && r.Decision.Action != Respond {
		text += ", edited"
	}
	return text
}

// quote writes frames for a sentence; bytes that are no text are in Go's escapes.
func quote(frames ...[]byte) string {
	var texts []string
	for _, f := range frames {
		text := string(f[:min(len(f), maxQuoted)])
		if !utf8.ValidString(text) {
			text = fmt.Sprintf("%q", text)
		}
		if len(f) > maxQuoted {
			text += fmt.Sprintf("… (%d bytes)", len(f))
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " | ")
}
