package pipeline

import (
	"bytes"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Chunk contains whole lines of a stream that were read together. Each line is scanned once. A
// Chunk belongs to the goroutine that reads the stream, and can be reused.
type Chunk struct {
	at      time.Time
	bytes   []byte
	ends    []int              // ends of the lines
	scanned []jsonrpc.Envelope // envelopes of the lines, without their endings
	frame   transport.Frame    // see Frame
}

// maxChunkLines bounds the lines of a chunk.
const maxChunkLines = 1024

// Scan scans the lines in b. Each line ends with a newline. It returns the lines for which there
// was no room. The chunk does not copy b.
func (c *Chunk) Scan(dir transport.Direction, at time.Time, b []byte) (rest []byte) {
	c.at, c.bytes, c.ends, c.scanned = at, b, c.ends[:0], c.scanned[:0]
	c.frame = transport.Frame{Time: at, Dir: dir}
	for start := 0; start < len(b); {
		if len(c.ends) == maxChunkLines {
			return b[start:]
		}
		end := start + bytes.IndexByte(b[start:], '\n') + 1
		c.scanned = append(c.scanned, jsonrpc.Scan(lineOf(b[start:end]).Text))
		c.ends = append(c.ends, end)
		start = end
	}
	return nil
}

// Len returns the number of lines.
func (c *Chunk) Len() int { return len(c.ends) }

// start returns the start of a line.
func (c *Chunk) start(i int) int {
	if i == 0 {
		return 0
	}
	return c.ends[i-1]
}

// Line returns a line with its ending.
func (c *Chunk) Line(i int) []byte { return c.bytes[c.start(i):c.ends[i]] }

// Frame returns a line as a frame, which is valid until the next call.
func (c *Chunk) Frame(i int) *transport.Frame {
	l := lineOf(c.Line(i))
	c.frame.Bytes, c.frame.Ending, c.frame.Envelope = l.Text, l.Ending, c.scanned[i]
	return &c.frame
}

// part returns some of the lines, with their envelopes.
func (c *Chunk) part(from, to int) (lines []byte, scanned []jsonrpc.Envelope) {
	return c.bytes[c.start(from):c.ends[to-1]], c.scanned[from:to]
}
