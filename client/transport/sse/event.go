package sse

import (
	"bytes"
	"math"
	"time"
)

// Event is what stood between two blank lines. Its slices alias the buffers of
// the [Reader] and are valid until the next call of Next; who wants to keep
// them copies them.
type Event struct {
	// Name is the value of the last "event" field, empty when there was none.
	Name string

	// ID is the value of the last "id" field; HasID tells an empty id, which
	// forgets the one before it, from none. An id with a NUL counts as none.
	ID    string
	HasID bool

	// Retry is how long to wait before a reconnection, if HasRetry.
	Retry    time.Duration
	HasRetry bool

	// Data are the values of the "data" fields joined with a newline. They
	// are nil when that is empty: such an event is no message, but its id and
	// its delay count all the same. HasData tells an empty field from none.
	Data    []byte
	HasData bool

	// Comment are the comment lines, each without its colon and the space
	// after it, joined with a newline; HasComment tells an empty one from
	// none.
	Comment    []byte
	HasComment bool

	// Raw are the exact bytes of the lines, with their line ends but without
	// the blank line that ended the event. A byte order mark before the first
	// line of the stream is part of them.
	Raw []byte
}

// retryOf reads a delay in milliseconds. It must be digits and nothing else;
// one that no Duration can hold becomes the longest one.
func retryOf(value []byte) (time.Duration, bool) {
	if len(value) == 0 {
		return 0, false
	}
	const most = math.MaxInt64 / int64(time.Millisecond)
	var ms int64
	for _, ch := range value {
		if ch < '0' || ch > '9' {
			return 0, false
		}
		digit := int64(ch - '0')
		if ms > (most-digit)/10 {
			ms = most // and stays so: any further digit gets here again
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
	return name, trimSpace(value)
}

func trimSpace(value []byte) []byte {
	if len(value) > 0 && value[0] == ' ' {
		return value[1:]
	}
	return value
}
