package tap

import (
	"bytes"
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/intercept"
	"mcptea/session/store"
)

// pump copies one direction of a connection over stdio: bytes as they come while the
// gate is open, else line by line.
type pump struct {
	dir   transport.Direction
	src   io.Reader
	dst   io.Writer
	queue *store.Queue
	sink  *lines
	row   *atomic.Int32 // of the newest frame
	lane  *intercept.Lane
	gate  *intercept.Gate
	back  *pump // of the other direction, for responses by hand

	part []byte // the beginning of a line, while the gate holds frames

	mu      sync.Mutex // of dst and what follows
	err     error      // why dst cannot be written
	midLine bool       // the last byte that went through is not the end of a line
	replies [][]byte   // responses by hand that wait for the end of the line
}

// pumpSize is how much is read at a time: more than a pipe holds.
const pumpSize = 256 << 10

// run copies until src ends or dst cannot be written, and returns the error of dst.
// Frames that are held then go on before it returns, or when ctx ends.
func (p *pump) run(ctx context.Context) error {
	buf := make([]byte, pumpSize)
	for {
		n, err := p.src.Read(buf)
		if n > 0 {
			p.move(ctx, buf[:n])
		}
		if err != nil || p.failure() != nil {
			break
		}
	}
	if len(p.part) > 0 {
		p.line(ctx, p.part)
		p.part = nil
	}
	if p.lane != nil {
		p.lane.Wait()
	}
	return p.failure()
}

// move passes on the bytes of one read.
func (p *pump) move(ctx context.Context, b []byte) {
	if !p.gate.Active() && len(p.part) == 0 {
		p.pass(b)
		return
	}
	if p.inLine() {
		end := bytes.IndexByte(b, '\n') + 1
		if end == 0 {
			end = len(b)
		}
		p.pass(b[:end])
		b = b[end:]
	}
	p.part = append(p.part, b...)
	for {
		i := bytes.IndexByte(p.part, '\n')
		if i < 0 {
			break
		}
		p.line(ctx, p.part[:i+1])
		p.part = p.part[i+1:]
	}
	if len(p.part) == 0 {
		p.part = nil
	} else if !p.gate.Active() {
		p.pass(p.part) // the rest of the line need not be waited for any more
		p.part = nil
	}
}

func (p *pump) inLine() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.midLine
}

// pass records bytes and writes them, in this order: a response is recorded later
// than its request.
func (p *pump) pass(b []byte) {
	if len(b) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue.Put(p.sink, time.Now(), b)
	p.write(b)
	p.midLine = b[len(b)-1] != '\n'
	for !p.midLine && len(p.replies) > 0 {
		p.inject(p.replies[0])
		p.replies = p.replies[1:]
	}
}

// inject records a line of the user's own and writes it. The caller holds the lock; the
// last byte that was recorded ended a line.
func (p *pump) inject(line []byte) {
	p.queue.Call(func() { p.sink.side = transport.Injected })
	p.queue.Put(p.sink, time.Now(), line)
	p.queue.Call(func() { p.sink.side = transport.Both })
	p.write(line)
}

// reply sends a line of the user's own.
func (p *pump) reply(line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.midLine {
		p.replies = append(p.replies, line)
		return
	}
	p.inject(line)
}

// line passes on one line, with its ending if it has one, once the gate lets it.
func (p *pump) line(ctx context.Context, line []byte) {
	if line[len(line)-1] != '\n' {
		p.pass(line) // an incomplete line at the end is no frame
		return
	}
	now := time.Now()
	p.queue.Put(p.sink, now, line)
	text, ending := line[:len(line)-1], "\n"
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text, ending = text[:n-1], "\r\n"
	}
	f := transport.Frame{Bytes: text, Envelope: jsonrpc.Scan(text), Time: now, Dir: p.dir, Ending: ending}
	ticket := p.lane.Take(ctx, f, store.None)
	if ticket == nil {
		p.writeLine(line)
		return
	}
	p.queue.Sync() // the row of the frame is known then
	ticket.SetRow(p.row.Load())
	ticket.Move(ctx, func(o intercept.Outcome) {
		for _, frame := range o.Frames {
			p.writeLine(append(frame[:len(frame):len(frame)], ending...))
		}
		for _, frame := range o.Replies {
			p.back.reply(append(frame[:len(frame):len(frame)], '\n'))
		}
	})
}

// writeLine writes a line that is recorded already.
func (p *pump) writeLine(line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(line)
}

// write writes to dst, and does nothing once that has failed. The caller holds the lock.
func (p *pump) write(b []byte) {
	if p.err == nil {
		_, p.err = p.dst.Write(b)
	}
}

func (p *pump) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}
