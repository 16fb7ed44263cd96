package export

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/shell"
	"mcptea/record"
	"mcptea/record/store"
)

// Source is the session that is exported.
type Source struct {
	Header record.Header
	// Events yields the events of the session. Each use starts with the first event. An event is
	// valid until the next one.
	Events iter.Seq2[*record.Event, error]
	// ahead is like Events, but calls look with each frame before it yields the frame; see
	// [record.Lines.Ahead]. It is nil if the source cannot do this.
	ahead func(look func(*record.Event) uint64) iter.Seq2[*record.Event, error]
}

// FromStore returns the session of a store, live or loaded from a recording. It ends with the event
// that is the newest when that event is reached.
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

// Options selects the part of a session to write, and how to write it.
type Options struct {
	// Rows reports whether a row of the session is selected; nil selects all.
	Rows func(row int32) bool
	// Dir is the direction, for formats that write only one.
	Dir transport.Direction
	// Redactor redacts secrets. If nil, secrets are written.
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
	// Report is called with a sentence about something that could not be read or written. It may be
	// nil. It is called once for a sentence.
	Report func(text string)
}

// Event is a selected event.
type Event struct {
	record.Event
	// Number is the number of the row in the session, from 1, or 0 for an event without a row.
	Number int32
	// App reports whether the event belongs to a connection between an app and mcptea. mcptea is
	// the host of the app.
	App bool
	// Subscription is the number of the request that subscribed to a delivery, or 0.
	Subscription int32
}

// session is a session that is being written in a format.
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
	isHost   bool                     // the client is a program other than mcptea, and the report is about the client
}

// Write writes a session in a format. It returns the first error of the source, of w or of the
// context. It returns an error if the format cannot contain the session.
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

// report passes a sentence to Options.Report, once.
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

// Events returns the selected events of a session, redacted and in order, for a program that sends
// them elsewhere. An event is valid until the next one. An error ends the sequence.
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

// all returns all events of the session, unredacted. The redactor, if any, has already searched
// their frames for secrets.
func (s *session) all() iter.Seq2[*record.Event, error] {
	if s.ahead != nil && s.Redactor != nil {
		return s.ahead(s.Redactor.ahead)
	}
	return s.Events
}

// learn reads the whole session before it is written. So the redactor knows each value that a later
// frame names as a secret. For example, a tool returns a key in a text, and the client then sends
// the key as a password. learn returns only the error of the context. Other errors are reported
// when the session is read again.
func (s *session) learn() error {
	if s.Redactor == nil {
		return nil
	}
	var sent secret.Values // values of the client, which no number of values of the server displaces
	defer s.Redactor.known.AddAll(&sent)
	for e, err := range s.all() {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		if e.Kind == record.KindFrame && e.Frame.Dir == transport.Out {
			secret.JSON(e.Frame.Bytes, &sent, nil)
		}
		copied := *e
		s.Redactor.event(&copied)
	}
	return nil
}

// events returns the selected events, redacted and in order. An event without a row is selected if
// it is between selected rows. Connections, processes and exchanges are always selected, because
// frames refer to them. The loop must return the error.
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
				continue // Options.Marks replaces them
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

// join finds the request that subscribed to a delivery. It does so before secrets in the URLs are
// redacted.
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
