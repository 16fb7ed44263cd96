package http

import (
	"bytes"
	"math"
	"time"
)

// Event is a block of lines between blank lines. Its slices alias the buffers of the
// [EventReader] and are valid until the next call of Next.
type Event struct {
	// Name is the value of the last "event" field, or empty.
	Name string

	// ID is the value of the last "id" field; HasID distinguishes an empty id,
	// which resets the last event id, from none. An id with a NUL is ignored.
	ID    string
	HasID bool

	// Retry is the reconnection time, if HasRetry.
	Retry    time.Duration
	HasRetry bool

	// Data are the values of the "data" fields, joined with newlines; nil if that
	// is empty: such an event is not dispatched, but its id and retry fields apply.
	Data []byte

	// HasComment reports comment lines.
	HasComment bool

	// Raw are the exact bytes of the lines with their line endings, without the blank line at
	// the end, but with a byte order mark at the start of the stream.
	Raw []byte
}

// retryOf parses a number of milliseconds, digits only. The maximum is the maximum of time.Duration.
func retryOf(value []byte) (time.Duration, bool) {
	if len(value) == 0 {
		return 0, false
	}
	const maximum = math.MaxInt64 / int64(time.Millisecond)
	var ms int64
	for _, ch := range value {
		if ch < '0' || ch > '9' {
			return 0, false
		}
		digit := int64(ch - '0')
		if ms > (maximum-digit)/10 {
			ms = maximum // more digits do not change that
			continue
		}
		ms = ms*10 + digit
	}
	return time.Duration(ms) * time.Millisecond, true
}

// cutField splits a line into field name and value, without the one space that
// may follow the colon.
func cutField(line []byte) (name, value []byte) {
	name, value, _ = bytes.Cut(line, []byte{':'})
	return name, bytes.TrimPrefix(value, []byte{' '})
}
