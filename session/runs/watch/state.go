package watch

import (
	"strconv"
	"strings"
	"time"

	"mcptea/internal/words/phrase"
)

// maxRepeated bounds the length of a file name in the state, in bytes.
const maxRepeated = 20

// Line returns the state in a few words; empty while there is only the watch.
func (s *State) Line(now time.Time) string {
	switch s.Phase {
	case Building:
		return "building"
	case Broken:
		return "build failed"
	case Waiting:
		return "restart waits for " + phrase.Count(s.Calls, "call") + ", " + seconds(s.Deadline.Sub(now))
	case Restarting:
		if s.Refused != "" {
			return s.Refused + " accepts no connections"
		}
		return "restarting"
	case Slowed:
		return "restart in " + seconds(s.Deadline.Sub(now))
	case Undecided:
		return "build in " + seconds(s.Deadline.Sub(now))
	}
	return ""
}

// seconds returns how many whole seconds are left.
func seconds(left time.Duration) string {
	return strconv.Itoa(int((max(0, left)+time.Second-1)/time.Second)) + " s"
}

// Because returns in a few words why a restart waits, or "" if it does not wait or the line already tells why.
func (s *State) Because() string {
	name := phrase.Clip(s.Repeated, maxRepeated)
	switch s.Phase {
	case Slowed:
		return name + " changed after the last"
	case Undecided:
		return name + " changed during the last"
	}
	return ""
}

// Summary returns the first place of a build that failed, or why it failed.
func (b *Build) Summary() string {
	if b.Err == nil {
		return ""
	}
	if len(b.Places) > 0 {
		p := b.Places[0]
		return p.File + ":" + strconv.Itoa(p.Line) + ": " + p.Text
	}
	for line := range strings.Lines(string(b.Output)) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return b.Err.Error()
}
