package jq

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"time"
)

// The frames between the two processes: a letter, the number of bytes that follow, and these.
const (
	inputFrame = 'i' // a JSON value, for all that follows
	namesFrame = 'n' // a text to complete
	runFrame   = 'r' // a [request]

	valueFrame = 'v' // a value as JSON
	errorFrame = 'e' // the input cannot be read
	doneFrame  = 'd' // the end of the response to one frame
)

// request runs a filter. A bound that is 0 does not count.
type request struct {
	Filter             string
	MaxValues, MaxSize int
	MaxTime            time.Duration
}

// proposal is the response to a namesFrame.
type proposal struct {
	Names []string
	From  int
}

// The end of a run at a bound, sent as its error. No real error has such a text.
const (
	endOfTime   = "\x00time"
	endOfValues = "\x00values"
	endOfValue  = "\x00value"
)

const (
	// maxValue is the maximum size of a value, in bytes. It equals the maximum size of a server's frame.
	maxValue = 64 << 20
	// maxRequest is the maximum size of a message between the processes.
	maxRequest = maxValue + 1<<20
)

// readFrame reads one frame up to a maximum number of bytes.
func readFrame(r io.Reader, most int) (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if int64(n) > int64(most) {
		return 0, nil, fmt.Errorf("a frame of %d bytes", n)
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(r, payload)
	return head[0], payload, err
}

// appendHead appends the header of a payload.
func appendHead(b []byte, kind byte, n int) []byte {
	return binary.BigEndian.AppendUint32(append(b, kind), uint32(n))
}

// write writes a frame, and ends the process if it is not read.
func write(w io.Writer, kind byte, payload []byte) {
	_, err := w.Write(appendHead(nil, kind, len(payload)))
	if err == nil {
		_, err = w.Write(payload)
	}
	if err != nil {
		os.Exit(0)
	}
}
