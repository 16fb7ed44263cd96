package lintfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/lint"
	"mcptea/session/record"
	"mcptea/session/store"
)

var links = map[string]lint.Link{"stdio": lint.Stdio, "http": lint.HTTP, "sse": lint.SSE}

const (
	// maxExchanges bounds the HTTP exchanges of which it is known where they stand
	// in the file.
	maxExchanges = 4 << 20
	// maxCopy bounds the copy of a recording that comes from a pipe, in bytes.
	maxCopy = 8 << 30
	// maxTold is how many exchanges back a phase is not told twice.
	maxTold = 4096
	// maxEndings is how many ends of sessions are known in advance.
	maxEndings = 256
)

// reader is a recording on its way through an engine.
type reader struct {
	engine    *lint.Engine
	exchanges exchanges
	told      map[uint32]transport.ExchangePhase
	report    Report
	closed    bool // stdin was closed by the client
}

func lintRecording(ctx context.Context, in *lines, r io.Reader, header record.Header, found func(lint.Finding)) (Report, error) {
	rd := &reader{
		engine: lint.New(lint.OfSelf(found)), told: map[uint32]transport.ExchangePhase{}, report: Report{Format: "recording", Lines: 1},
	}
	link := links[header.Transport]
	rd.engine.Begin(link)
	if link != lint.Stdio {
		again, err := rd.exchanges.find(ctx, in, r)
		if err != nil {
			return rd.report, err
		}
		defer rd.exchanges.close()
		in = again
	}
	for {
		line, err := in.next()
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return rd.report, nil
		case err != nil && !errors.Is(err, io.EOF):
			return rd.report, err
		}
		rd.report.Lines++
		e, parseErr := record.Parse(line)
		switch {
		case parseErr != nil && in.atEnd(err):
			rd.report.Cut = true
			return rd.report, nil
		case parseErr != nil:
			return rd.report, fmt.Errorf("line %d: %w", rd.report.Lines, parseErr)
		}
		rd.event(e, int32(rd.report.Lines))
	}
}

// exchanges finds the HTTP exchanges of a recording: the line of one stands where
// it ended, behind the frames that it carried.
type exchanges struct {
	at     map[uint32]place
	file   io.ReaderAt
	spool  *store.Spool // nil when the file itself can be read again
	cached map[uint32]transport.Exchange
	// endings are those by which the client ended sessions, maxEndings at most.
	endings []transport.Exchange
}

// place is where a line stands.
type place struct {
	offset int64
	size   int32
}

// find looks through the rest of the file for exchanges, and returns it to be
// read again from there.
func (x *exchanges) find(ctx context.Context, in *lines, r io.Reader) (*lines, error) {
	x.at, x.cached = map[uint32]place{}, map[uint32]transport.Exchange{}
	begin := in.offset
	if x.file = again(r, begin-in.taken); x.file == nil {
		x.spool = store.NewSpool()
		x.file = x.spool
	}
	for {
		offset := in.offset - begin
		line, err := in.next()
		if x.spool != nil {
			if _, err := x.spool.Write(line); err != nil || x.spool.Size() > maxCopy {
				return nil, fmt.Errorf("the recording cannot be kept to be read twice (%d MB so far): give the name of its file: %w", x.spool.Size()>>20, err)
			}
		}
		if bytes.Contains(line[:min(len(line), 80)], []byte(`"k":"`+record.KindHTTP)) && len(x.at) < maxExchanges {
			if id, ok := jsonrpc.Member(line, "x"); ok {
				n, _ := jsonrpc.Integer(id)
				x.at[uint32(n)] = place{offset, int32(len(line))}
			}
			x.ending(line)
		}
		switch {
		case errors.Is(err, io.EOF):
			return newLines(ctx, io.NewSectionReader(x.file, 0, in.offset-begin)), nil
		case err != nil:
			return nil, err
		}
	}
}

// ending remembers the exchange of a line if it ended a session.
func (x *exchanges) ending(line []byte) {
	if len(x.endings) == maxEndings || !bytes.Contains(line, []byte(`"end session"`)) {
		return
	}
	if e, err := record.Parse(line); err == nil {
		if found, ok := e.HTTP(); ok && found.Purpose == "end session" {
			x.endings = append(x.endings, found)
		}
	}
}

// again returns a file to be read again from so many bytes before, or behind,
// where it stands; nil when it cannot be.
func again(r io.Reader, from int64) io.ReaderAt {
	file, ok := r.(interface {
		io.ReaderAt
		io.Seeker
	})
	if !ok || waits(r) {
		return nil
	}
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	return offsetReader{file, at + from}
}

// offsetReader is a file whose reader did not begin at its start.
type offsetReader struct {
	io.ReaderAt
	start int64
}

func (o offsetReader) ReadAt(p []byte, off int64) (int, error) {
	return o.ReaderAt.ReadAt(p, o.start+off)
}

// get reads an exchange.
func (x *exchanges) get(id uint32) (transport.Exchange, bool) {
	if e, ok := x.cached[id]; ok {
		return e, true
	}
	at, ok := x.at[id]
	if !ok {
		return transport.Exchange{}, false
	}
	line := make([]byte, at.size)
	if _, err := x.file.ReadAt(line, at.offset); err != nil && !errors.Is(err, io.EOF) {
		return transport.Exchange{}, false
	}
	e, err := record.Parse(line)
	if err != nil {
		return transport.Exchange{}, false
	}
	found, ok := e.HTTP()
	if ok {
		if len(x.cached) >= maxTold {
			clear(x.cached)
		}
		x.cached[id] = found
	}
	return found, ok
}

func (x *exchanges) close() {
	if x.spool != nil {
		_ = x.spool.Close() // it was only read
	}
}

func (rd *reader) event(e record.Event, row int32) {
	at := time.Unix(0, e.Time)
	if e.IsFrame() {
		rd.frame(e, at, row)
		return
	}
	if x, ok := e.HTTP(); ok {
		rd.phase(x, transport.ExchangeSent, row)
		rd.phase(x, transport.ExchangeHeaders, row)
		rd.phase(x, transport.ExchangeDone, row)
		return
	}
	if line, ok := e.StderrLine(); ok {
		rd.engine.Stderr(at, line)
		return
	}
	if p, ok := e.ProcessChange(); ok {
		rd.process(p, row)
	}
}

func (rd *reader) process(p transport.ProcessEvent, row int32) {
	switch p.What {
	case transport.ProcessStarted:
		if rd.report.Frames > 0 {
			rd.engine.Begin(lint.Stdio) // started again: a new connection
			clear(rd.told)
		}
		rd.closed = false
	case transport.ProcessStdinClosed:
		rd.closed = true
		rd.engine.StdinClosed(p.Time)
	case transport.ProcessExited:
		by := lint.Server
		if rd.closed {
			by = lint.Client
		}
		rd.engine.End(p.Time, lint.Ending{Row: row, By: by, Exited: true, ExitCode: p.ExitCode, Signal: p.Signal})
	}
}

// frame tells of the exchange that carried the frame first, as far as it had
// got.
func (rd *reader) frame(e record.Event, at time.Time, row int32) {
	want := transport.ExchangeSent
	if e.Dir() == transport.In {
		want = transport.ExchangeHeaders
	}
	if e.Exchange != 0 && !rd.hasTold(e.Exchange, want) {
		if x, ok := rd.exchanges.get(e.Exchange); ok {
			for phase := transport.ExchangeSent; phase <= want; phase++ {
				rd.phase(x, phase, row)
			}
		}
	}
	rd.report.Frames++
	f := lint.Frame{Row: row}
	f.Bytes, f.Envelope, f.Time, f.Dir = e.Frame, jsonrpc.Scan(e.Frame), at, e.Dir()
	f.Ending, f.Torn, f.Exchange, f.EventID = e.Ending, e.Torn, e.Exchange, e.EventID
	rd.engine.Tick(at)
	rd.engine.Frame(f)
}

func (rd *reader) hasTold(id uint32, phase transport.ExchangePhase) bool {
	last, ok := rd.told[id]
	return ok && last >= phase
}

// phase tells of a phase of an exchange, once.
func (rd *reader) phase(x transport.Exchange, phase transport.ExchangePhase, row int32) {
	if rd.hasTold(x.ID, phase) {
		return
	}
	if phase == transport.ExchangeDone {
		// What ended after the client had begun to end the session did so because of
		// that, though its line comes first.
		for _, e := range rd.exchanges.endings {
			if e.ID != x.ID && !e.Start.After(x.Start.Add(x.Took)) {
				rd.phase(e, transport.ExchangeSent, row)
			}
		}
	}
	if rd.told[x.ID] = phase; phase == transport.ExchangeDone {
		delete(rd.told, x.ID-maxTold)
		delete(rd.exchanges.cached, x.ID)
	}
	x.Phase = phase
	if phase == transport.ExchangeSent {
		x.Status, x.ResponseHeader, x.ResponseBody, x.FirstByte = 0, nil, nil, 0
	}
	if phase != transport.ExchangeDone {
		x.Took, x.Received, x.Err = 0, 0, ""
	}
	rd.engine.HTTP(x, row)
}
