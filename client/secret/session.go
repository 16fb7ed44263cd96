package secret

import (
	"fmt"
	"strconv"
	"strings"
)

// SessionID is an Mcp-Session-Id, or the known facts about a redacted one: its start, its length, and whether
// MCP allows its characters.
type SessionID struct {
	Shown    string // whole id, or the start of a redacted one, which may be empty
	Length   int    // length in bytes; 0 if empty, or unknown as in older recordings
	Redacted bool
	Invalid  bool // the id contains characters other than 0x21 to 0x7E
}

// maxShownID bounds how many bytes of a session id are shown; of a short one it is at most half.
const maxShownID = 8

// The parts of a redacted session id: its beginning, cutID, its length, idLength, and
// perhaps notAllowed, idEnd.
const (
	cutID      = "…"
	idOpen     = " ("
	idLength   = " characters"
	notAllowed = ", some of them not allowed"
	idEnd      = ")"
)

// SessionIDPattern is a regular expression of a redacted session id with its length.
const SessionIDPattern = `\S{0,8}` + cutID + ` \(\d+` + idLength + `[^)]*\)`

// ParseSessionID reads a session id that [Header] may have redacted.
func ParseSessionID(text string) SessionID {
	if id, ok := parseRedacted(text); ok {
		return id
	}
	return SessionID{Shown: text, Length: len(text), Invalid: !isVisibleASCII(text)}
}

func parseRedacted(text string) (id SessionID, ok bool) {
	shown, rest, ok := cutLast(text, cutID)
	if !ok {
		return id, false
	}
	id = SessionID{Shown: shown, Redacted: true, Invalid: !isVisibleASCII(shown)}
	if rest == "" { // written by an older version
		return id, len(shown) == maxShownID
	}
	digits, note, ok := strings.Cut(strings.TrimPrefix(rest, idOpen), idLength)
	length, err := strconv.Atoi(digits)
	if !ok || err != nil || note != idEnd && note != notAllowed+idEnd {
		return id, false
	}
	id.Length, id.Invalid = length, id.Invalid || note != idEnd
	return id, len(shown) == min(maxShownID, length/2) || len(shown) == maxShownID // older recordings have as much of any id
}

// cutLast cuts a text around the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// String returns the redacted id.
func (id SessionID) String() string {
	if id.isOld() {
		return id.Shown + cutID
	}
	note := ""
	if id.Invalid {
		note = notAllowed
	}
	return fmt.Sprint(id.Shown[:min(maxShownID, id.Length/2, len(id.Shown))], cutID, idOpen, id.Length, idLength, note, idEnd)
}

// Same reports whether two ids may be equal, according to the known facts.
func (id SessionID) Same(other SessionID) bool {
	if !id.Redacted && !other.Redacted {
		return id.Shown == other.Shown
	}
	if id.isOld() || other.isOld() { // an id from an older version has only its start
		return strings.HasPrefix(id.Shown, other.Shown) && other.Redacted || strings.HasPrefix(other.Shown, id.Shown) && id.Redacted
	}
	return id.String() == other.String()
}

// isOld reports a redacted id without its length.
func (id SessionID) isOld() bool { return id.Redacted && id.Length == 0 }

func isVisibleASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < '!' || r > '~' })
}
