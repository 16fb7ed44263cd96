package otlp

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"

	"mcptea/internal/lazyregexp"
)

// spanContext is the span that is the parent of a new one (W3C Trace Context).
type spanContext struct {
	trace, span []byte
	state       string
	isSampled   bool
	isRemote    bool // a message has named it
}

var (
	traceparent = lazyregexp.New(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$`)
	// stateMember is one of the members of a tracestate.
	stateMember = lazyregexp.New(`^[ \t]*[a-z0-9][-_*/@a-z0-9]{0,255}=[ -+\--<>-~]{0,256}$`)
)

// maxState is the maximum number of members of a tracestate.
const maxState = 32

// IsTraceParent reports whether a text is a traceparent of W3C Trace Context.
func IsTraceParent(text string) bool { return parseContext(text, "") != nil }

// parseContext returns the span that a message names; nil without a valid one.
func parseContext(parent, state string) *spanContext {
	part := traceparent().FindStringSubmatch(parent)
	if part == nil || part[1] == "ff" || part[1] == "00" && part[5] != "" {
		return nil
	}
	c := &spanContext{isRemote: true}
	c.trace, _ = hex.DecodeString(part[2])
	c.span, _ = hex.DecodeString(part[3])
	flags, _ := hex.DecodeString(part[4])
	c.isSampled = flags[0]&1 != 0
	if isZero(c.trace) || isZero(c.span) {
		return nil
	}
	members := strings.Split(state, ",")
	if len(members) <= maxState && !slices.ContainsFunc(members, func(m string) bool { return !stateMember().MatchString(m) }) {
		c.state = state
	}
	return c
}

func isZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// randomID returns the id of a trace or span.
func randomID(size int) []byte {
	id := make([]byte, size)
	_, _ = rand.Read(id) // never fails
	return id
}
