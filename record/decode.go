package record

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"runtime"
	"slices"
	"sync"

	"mcptea/client/jsonrpc"
)

const (
	// maxWorkers bounds the goroutines that decode. The consumer of the events needs a processor too.
	maxWorkers = 4
	// maxDecoded is the number of lines of a block decoded at a time.
	maxDecoded = 2048
)

// Line is a line of a recording; see [Lines.Blocks].
type Line struct {
	Event Event // event; its frame is scanned
	Err   error // why the line is not an event
	// Text includes the line ending, which only the last line may lack. A frame in Base64 was decoded in place.
	Text []byte
	// Size is the length of the line in bytes. It equals the length of Text unless the line is too long.
	Size int64
}

// Ended reports whether the line has an ending.
func (l *Line) Ended() bool { return l.Text[len(l.Text)-1] == '\n' }

// Blocks yields the following lines in order, at least one at a time. Frames are decoded and scanned in
// advance, on all processors. Other events depend on earlier ones, so [Decoder.Complete] decodes them. Lines
// are valid until the next block. An error of the source ends the sequence. The reader is closed at the end.
// Only the very last line may lack a line ending.
func (l *Lines) Blocks() iter.Seq2[[]Line, error] { return l.blocks }

func (l *Lines) blocks(yield func([]Line, error) bool) {
	q := newQueue(l)
	defer q.end()
	for b := range q.order {
		for <-b.decoded; len(b.lines) > 0; b.decode() {
			if !yield(b.lines, nil) {
				return
			}
		}
		b.text = reuse(b.text)
		q.free <- b
	}
	if err := l.err; !errors.Is(err, io.EOF) {
		yield(nil, err)
	}
}

// Complete fills in a line of [Lines.Blocks] with information from earlier lines.
func (d *Decoder) Complete(line *Line) {
	switch e := &line.Event; {
	case line.Err != nil:
	case e.Kind != KindFrame:
		line.Event, line.Err = d.Decode(line.Text)
	case !e.Beside:
		e.Conn = d.conn
	}
}

// block is a part of a file with whole lines. Its memory is reused.
type block struct {
	text    []byte
	cut     int64         // length of the only line if it is too long, or 0
	decoded chan struct{} // filled when the first lines are decoded
	rest    []byte        // undecoded lines
	ahead   func(*Event) uint64
	parts   func(*Event, []jsonrpc.Span) []jsonrpc.Span
	spans   []jsonrpc.Span // the parts of the frames
	lines   []Line
}

// decode decodes the next lines of the block. At the end of the block it decodes none. For events
// other than frames it sets only the kind.
func (b *block) decode() {
	n := min(bytes.Count(b.rest, []byte("\n"))+1, maxDecoded)
	b.lines, b.spans = slices.Grow(b.lines[:0], n), b.spans[:0]
	for len(b.rest) > 0 && len(b.lines) < n {
		b.lines = append(b.lines, Line{})
		line := &b.lines[len(b.lines)-1]
		line.Text, b.rest, _ = cutLine(b.rest)
		if line.Size = int64(len(line.Text)); b.cut > 0 {
			line.Size, line.Err = b.cut, ErrTooLong
			continue
		}
		e := &line.Event
		if _, line.Err = e.decode(trimEnding(line.Text), true); line.Err == nil && e.Kind == KindFrame {
			e.Frame.Envelope = jsonrpc.Scan(e.Frame.Bytes)
			if b.ahead != nil {
				e.Ahead = b.ahead(e)
			}
			if b.parts != nil {
				before := len(b.spans)
				b.spans = b.parts(e, b.spans)
				e.Parts = b.spans[before:len(b.spans):len(b.spans)]
			}
		}
	}
}

// queue holds the blocks between the reader and the consumer of a file. Each block is read, decoded
// and taken. Blocks are read and taken in order.
type queue struct {
	lines       *Lines
	free        chan *block
	order, work chan *block
	stop        chan struct{}
	running     sync.WaitGroup
}

func newQueue(lines *Lines) *queue {
	workers := min(runtime.GOMAXPROCS(0), maxWorkers)
	blocks := 2*workers + 1
	q := &queue{
		lines: lines, stop: make(chan struct{}),
		free: make(chan *block, blocks), order: make(chan *block, blocks), work: make(chan *block, blocks),
	}
	for range blocks {
		q.free <- &block{decoded: make(chan struct{}, 1), ahead: lines.Ahead, parts: lines.Parts}
	}
	lines.rest, lines.block = append(lines.block, lines.rest...), nil
	q.running.Go(q.read)
	for range workers {
		q.running.Go(func() {
			for b := range q.work {
				b.decode()
				b.decoded <- struct{}{}
				runtime.Gosched() // lets other goroutines run
			}
		})
	}
	return q
}

// read reads blocks until the end of the file.
func (q *queue) read() {
	defer close(q.order)
	defer close(q.work)
	for {
		select {
		case <-q.stop:
			return
		case b := <-q.free:
			b.text, b.cut = q.lines.next(b.text)
			b.rest = b.text
			if len(b.text) == 0 {
				return
			}
			long := cap(b.text) > maxMemory
			q.work <- b
			q.order <- b
			if long && !q.drain() {
				return
			}
		}
	}
}

// drain waits until the consumer has taken all blocks, so that only one long line is in memory. It returns
// false if reading ends first.
func (q *queue) drain() bool {
	blocks := make([]*block, cap(q.free))
	for i := range blocks {
		select {
		case blocks[i] = <-q.free:
		case <-q.stop:
			return false
		}
	}
	for _, b := range blocks {
		q.free <- b
	}
	return true
}

// end stops the goroutines and waits for them.
func (q *queue) end() {
	close(q.stop)
	q.lines.Close()
	q.running.Wait()
}
