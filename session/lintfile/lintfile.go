package lintfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session/lint"
	"mcptea/session/record"
)

// Report is what a file has given.
type Report struct {
	Format string // "recording", "frames" or "log"
	Frames int    // how many were judged
	Lines  int
}

// ErrNoFrames says that nothing in a file looks like a message.
var ErrNoFrames = errors.New("there is no JSON-RPC message in it")

// Judge reads all of a file and reports what the rules find. The row of a
// finding is the number of a line, from 1.
func Judge(r io.Reader, found func(lint.Finding)) (Report, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return Report{}, err
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if header, err := record.ParseHeader(first); err == nil {
		return judgeRecording(text, header, found)
	} else if !errors.Is(err, record.ErrNotARecording) {
		return Report{}, err
	}
	return judgeLines(text, found)
}

var links = map[string]lint.Link{"stdio": lint.Stdio, "http": lint.HTTP, "sse": lint.SSE}

// reader is a recording on its way through an engine.
type reader struct {
	engine    *lint.Engine
	exchanges map[uint32]transport.Exchange // of the whole file: their lines stand at their ends
	told      map[uint32]transport.ExchangePhase
	endings   []transport.Exchange // by which the client ended sessions
	report    Report
	closed    bool // stdin was closed by us
}

func judgeRecording(text []byte, header record.Header, found func(lint.Finding)) (Report, error) {
	rd := &reader{
		engine: lint.New(lint.OfSelf(found)), exchanges: map[uint32]transport.Exchange{},
		told: map[uint32]transport.ExchangePhase{}, report: Report{Format: "recording"},
	}
	rd.engine.Begin(links[header.Transport])
	for line := range bytes.Lines(text) {
		if bytes.Contains(line[:min(len(line), 80)], []byte(`"k":"`+record.KindHTTP)) {
			if e, err := record.Parse(line); err == nil {
				if x, ok := e.HTTP(); ok {
					rd.exchanges[x.ID] = x
					if x.Purpose == "end session" {
						rd.endings = append(rd.endings, x)
					}
				}
			}
		}
	}
	for line := range bytes.Lines(text) {
		rd.report.Lines++
		if rd.report.Lines == 1 {
			continue
		}
		e, err := record.Parse(line)
		if err != nil {
			return rd.report, fmt.Errorf("line %d: %w", rd.report.Lines, err)
		}
		rd.event(e, int32(rd.report.Lines))
	}
	return rd.report, nil
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
	if x, ok := rd.exchanges[e.Exchange]; ok && e.Exchange != 0 {
		rd.phase(x, transport.ExchangeSent, row)
		if e.Dir() == transport.In {
			rd.phase(x, transport.ExchangeHeaders, row)
		}
	}
	rd.report.Frames++
	f := lint.Frame{Row: row}
	f.Bytes, f.Envelope, f.Time, f.Dir = e.Frame, jsonrpc.Scan(e.Frame), at, e.Dir()
	f.Ending, f.Torn, f.Exchange, f.EventID = e.Ending, e.Torn, e.Exchange, e.EventID
	rd.engine.Tick(at)
	rd.engine.Frame(f)
}

// phase tells of a phase of an exchange, once.
func (rd *reader) phase(x transport.Exchange, phase transport.ExchangePhase, row int32) {
	if last, ok := rd.told[x.ID]; ok && last >= phase {
		return
	}
	if phase == transport.ExchangeDone {
		// What ended after the client had begun to end the session did so because of
		// that, though its line comes first.
		for _, e := range rd.endings {
			if e.ID != x.ID && !e.Start.After(x.Start.Add(x.Took)) {
				rd.phase(e, transport.ExchangeSent, row)
			}
		}
	}
	rd.told[x.ID] = phase
	x.Phase = phase
	if phase == transport.ExchangeSent {
		x.Status, x.ResponseHeader, x.ResponseBody, x.FirstByte = 0, nil, nil, 0
	}
	if phase != transport.ExchangeDone {
		x.Took, x.Received, x.Err = 0, 0, ""
	}
	rd.engine.HTTP(x, row)
}

// judgeLines reads frames, one a line, or a log that has frames in it. There
// are no times in it that anybody could rely on: each line comes a moment after
// the one before.
func judgeLines(text []byte, found func(lint.Finding)) (Report, error) {
	engine := lint.New(found)
	engine.Begin(lint.Stdio)
	g := guess{asked: map[string]transport.Direction{}}
	rep := Report{Format: "frames"}
	at := time.Unix(0, 0)
	for line := range bytes.Lines(text) {
		rep.Lines++
		at = at.Add(time.Millisecond)
		line, ending := cutEnding(line)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		before, frame, marked := cutFrame(line)
		if frame == nil {
			rep.Format = "log"
			continue
		}
		if len(bytes.TrimSpace(before)) > 0 && !marked {
			rep.Format = "log"
		}
		rep.Frames++
		e := jsonrpc.Scan(frame)
		f := lint.Frame{Row: int32(rep.Lines)}
		f.Bytes, f.Envelope, f.Time, f.Dir, f.Ending = frame, e, at, g.direction(before, frame, e), ending
		engine.Frame(f)
	}
	if rep.Frames == 0 {
		return rep, ErrNoFrames
	}
	return rep, nil
}

func cutEnding(line []byte) (text []byte, ending string) {
	switch {
	case bytes.HasSuffix(line, []byte("\r\n")):
		return line[:len(line)-2], "\r\n"
	case bytes.HasSuffix(line, []byte("\n")):
		return line[:len(line)-1], "\n"
	}
	return line, ""
}

// marks stand before a frame and say who sent it.
var marks = []struct {
	mark string
	dir  transport.Direction
}{
	{"> ", transport.Out},
	{"< ", transport.In},
	{"C> ", transport.Out},
	{"S> ", transport.In},
	{"-> ", transport.Out},
	{"<- ", transport.In},
	{"→ ", transport.Out},
	{"← ", transport.In},
	{">> ", transport.Out},
	{"<< ", transport.In},
	{"--> ", transport.Out},
	{"<-- ", transport.In},
}

// cutFrame finds the frame of a line: the whole line, what stands behind a
// mark, or the JSON-RPC message in a line of a log.
func cutFrame(line []byte) (before, frame []byte, marked bool) {
	for _, m := range marks {
		if rest, ok := bytes.CutPrefix(line, []byte(m.mark)); ok {
			return line[:len(m.mark)], rest, true
		}
	}
	if c := line[0]; c == '{' || c == '[' && looksLike(line) {
		return nil, line, false
	}
	from := bytes.IndexByte(line, '{')
	if from < 0 || !looksLike(line[from:]) {
		return line, nil, false
	}
	e := jsonrpc.Scan(line[from:])
	to := len(line)
	if e.Fault == jsonrpc.FaultTrailingBytes {
		to = from + e.At
	}
	return line[:from], bytes.TrimRight(line[from:to], " \t"), false
}

func looksLike(b []byte) bool { return bytes.Contains(b, []byte(`"jsonrpc"`)) }

// guess finds out who sent a frame of which nothing says so.
type guess struct {
	asked map[string]transport.Direction // by raw id: who asked last
}

// words of logs that say which way a message went, from the point of view of
// the client; those of a server's own log are the other way round, which shows
// by the methods.
var words = []struct {
	word string
	dir  transport.Direction
}{
	{"client->server", transport.Out},
	{"server->client", transport.In},
	{"to server", transport.Out},
	{"from server", transport.In},
	{"to client", transport.In},
	{"from client", transport.Out},
	{"=>", transport.Out},
	{"<=", transport.In},
	{">>", transport.Out},
	{"<<", transport.In},
	{"-->", transport.Out},
	{"<--", transport.In},
}

func (g *guess) direction(before, frame []byte, e jsonrpc.Envelope) transport.Direction {
	dir := g.of(before, frame, e)
	if e.Kind == jsonrpc.Request {
		g.asked[string(e.ID.Of(frame))] = dir
	}
	return dir
}

func (g *guess) of(before, frame []byte, e jsonrpc.Envelope) transport.Direction {
	for _, m := range marks {
		if string(before) == m.mark {
			return m.dir
		}
	}
	if m, ok := revision.Lookup(e.MethodName(frame)); ok {
		switch m.Sender("") {
		case revision.Client:
			return transport.Out
		case revision.Server:
			return transport.In
		}
	}
	if e.Kind.IsAnswer() {
		if asked, ok := g.asked[string(e.ID.Of(frame))]; ok {
			return 1 - asked
		}
		return transport.In
	}
	text := strings.ToLower(string(before))
	for _, w := range words {
		if strings.Contains(text, w.word) {
			return w.dir
		}
	}
	if e.Kind == jsonrpc.Request {
		return transport.Out
	}
	return transport.In
}
