package export

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"

	"mcptea/client/transport"
	"mcptea/internal/shell"
	"mcptea/record"
	"mcptea/record/store"
)

// Source is the session that is exported.
type Source struct {
	Header record.Header
	// Events are the events of the session, each time from the first one on. An
	// event is valid until the next one.
	Events iter.Seq2[*record.Event, error]
	// ahead is like Events, and calls look with each frame before the sequence returns it; see
	// [record.Lines.Ahead]. It is nil if the source cannot do this.
	ahead func(look func(*record.Event) uint64) iter.Seq2[*record.Event, error]
}

// FromStore returns the session of a store, live or loaded from a recording, up to the event
// that is the newest when the end is reached.
func FromStore(s *store.Store, h record.Header) Source {
	return Source{Header: h, Events: func(yield func(*record.Event, error) bool) {
		for tail := s.NewTail(); ; {
			e, _, ok, err := tail.Next()
			if err != nil {
				yield(nil, err)
				return
			}
			if !ok || !yield(&e, nil) {
				return
			}
		}
	}}
}

// Options selects the part of a session to write, and the form.
type Options struct {
	// Rows reports whether a row of the session is selected; nil selects all.
	Rows func(row int32) bool
	// Dir is the direction for formats that write one.
	Dir transport.Direction
	// Redactor redacts secrets; nil writes them.
	Redactor *Redactor
	// Shell is the shell for command lines.
	Shell shell.Kind
	// Server is the server of a live session, or nil if commands name the server of the recording.
	Server *Server
	// Marks holds the marks and notes of the user. They replace those in the events.
	Marks []record.Mark
	// ServerFindings adds findings about the server to a report about a host.
	ServerFindings bool
	// Tool is the program and its version.
	Tool string
	// Report is called with a sentence about what could not be read or written; may
	// be nil. The same sentence is reported once.
	Report func(text string)
}

// Event is an event that was selected.
type Event struct {
	record.Event
	// Number is the number of the row in the session, from 1, or 0 for an event without a row.
	Number int32
	// App reports an event of a connection between an app and mcptea, its host.
	App bool
	// Subscription is the number of the request that has subscribed to a delivery, or 0.
	Subscription int32
}

// session is the session that a format writes.
type session struct {
	Source // unredacted
	Options
	ctx      context.Context
	format   Format
	apps     record.Apps
	out      *bufio.Writer
	reported map[string]bool
	notes    map[int32]string         // notes of the user by row, unredacted
	changes  map[int32]*record.Change // see collectChanges
	isHost   bool                     // the client is another program than mcptea, and the report is about it
}

// Write writes a session in a format. It returns the first error of the source, of w or of the context, or the
// reason why the format cannot contain the session.
func Write(ctx context.Context, w io.Writer, f Format, src Source, o Options) error {
	s := &session{Source: src, Options: o, ctx: ctx, format: f, out: bufio.NewWriterSize(w, 64<<10), reported: map[string]bool{}}
	s.notes = map[int32]string{}
	for _, m := range s.Marks {
		s.notes[m.Row] = m.Note
	}
	if s.Redactor != nil {
		s.Header.Target = s.Redactor.command(src.Header.Target)
		if err := s.learn(); err != nil {
			return err
		}
	}
	if s.Header.Insecure {
		s.report("the certificate of the server was not verified (--insecure)")
	}
	if err := f.write(s); err != nil {
		_ = s.out.Flush()
		return err
	}
	return s.out.Flush()
}

// report passes a sentence on, once.
func (s *session) report(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if s.Report == nil || s.reported[text] {
		return
	}
	if len(s.reported) < maxReported {
		s.reported[text] = true
	}
	s.Report(text)
}

// maxReported bounds the sentences that are remembered.
const maxReported = 1000

// Events returns the selected events of a session, redacted, in their order, for a program that
// sends them elsewhere. An event is valid until the next one, and an error is the last.
func Events(ctx context.Context, src Source, o Options) iter.Seq2[Event, error] {
	s := &session{Source: src, Options: o, ctx: ctx, reported: map[string]bool{}}
	return func(yield func(Event, error) bool) {
		if err := s.learn(); err != nil {
			yield(Event{}, err)
			return
		}
		s.events()(yield)
	}
}

// all returns all events of the session, unredacted. The redactor, if there is one, has looked at their frames.
func (s *session) all() iter.Seq2[*record.Event, error] {
	if s.ahead != nil && s.Redactor != nil {
		return s.ahead(s.Redactor.ahead)
	}
	return s.Events
}

// learn reads the whole session, so that the redactor knows each value that a later frame names as a secret: a tool may
// return a key in a text, and the client sends it as a password after that. It returns the error of the context; what
// cannot be read is reported when it is read again.
func (s *session) learn() error {
	if s.Redactor == nil {
		return nil
	}
	for e, err := range s.all() {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		copied := *e
		s.Redactor.event(&copied)
	}
	return nil
}

// events returns the selected events, redacted, in their order. Of the events without a row
// those are selected that lie between selected rows; connections, processes and exchanges
// always are, because frames refer to them. The loop must return the error.
func (s *session) events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		row, within := int32(0), s.Rows == nil
		var callbacks record.Callbacks
		for e, err := range s.all() {
			if err == nil {
				err = context.Cause(s.ctx)
			}
			if err != nil {
				yield(Event{}, err)
				return
			}
			if e.Kind == record.KindProblem {
				s.report("%s", e.Text)
				continue
			}
			if e.Kind == record.KindMark {
				continue // Options.Marks has them
			}
			out := Event{Event: *e, App: s.apps.Of(e)}
			if e.IsRow() {
				row++
				out.Number = row
				if s.Rows != nil {
					within = s.Rows(row - 1)
				}
			}
			out.join(&callbacks)
			about, isAbout := e.About()
			switch {
			case out.App && !s.format.apps:
				continue
			case isAbout:
				if s.Rows != nil && !s.Rows(about) {
					continue
				}
			case !within && !s.isContext(e):
				continue
			}
			if s.Redactor != nil {
				s.Redactor.event(&out.Event)
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}

// join finds the request that has subscribed to a delivery, before secrets in their URLs are redacted.
func (e *Event) join(callbacks *record.Callbacks) {
	switch e.Kind {
	case record.KindFrame:
		callbacks.Frame(&e.Frame, e.Number)
	case record.KindDelivery:
		e.Subscription, _ = callbacks.Of(e.Delivery)
	}
}

func (s *session) isContext(e *record.Event) bool {
	switch e.Kind {
	case record.KindConnection:
		return true
	case record.KindHTTP, record.KindProcess:
		return !e.IsRow()
	}
	return false
}

// frames returns the selected frames.
func (s *session) frames() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for e, err := range s.events() {
			if err != nil || e.Kind == record.KindFrame && s.isDirection(e.Frame.Dir) {
				if !yield(e, err) {
					return
				}
			}
		}
	}
}

// printf writes to the output. Its error is kept by the writer until Flush.
func (s *session) printf(format string, args ...any) { fmt.Fprintf(s.out, format, args...) }

// print writes texts to the output.
func (s *session) print(texts ...string) {
	for _, t := range texts {
		_, _ = s.out.WriteString(t)
	}
}

// full returns the error of the output, so that a long export ends early.
func (s *session) full() error {
	_, err := s.out.Write(nil)
	return err
}
