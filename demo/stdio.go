package demo

import (
	"context"
	"io"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/demo/peer"
)

// grace is how long requests that still run at the end of standard input may
// take to finish, and then again their answers to be written.
const grace = 200 * time.Millisecond

// ServeStdio talks to one client: a frame a line on in and out, text for users
// on errs. It returns nil soon after the end of in, and the cause when ctx ends
// or out fails. An in that is an [io.Closer] is closed when ctx ends, so that
// no read is left behind; out and errs stay open (but for the fault that closes
// out). A write that the other side never reads may outlive the call.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out, errs io.Writer) error {
	if s.err != nil {
		return s.err
	}
	r := &run{options: s.options, fault: s.fault, errs: errs}
	r.ctx, r.stop = context.WithCancelCause(ctx)
	defer r.stop(nil)
	if c, ok := in.(io.Closer); ok {
		defer context.AfterFunc(r.ctx, func() { _ = c.Close() })()
	}
	r.out = newLineWriter(out, s.fault.appendFrame(), r.stop)
	defer r.flush()
	if s.fault.start != nil {
		s.fault.start(r)
	}
	return r.converse(in)
}

func appendLine(dst, frame []byte) []byte { return append(append(dst, frame...), '\n') }

// flush ends the writer, and waits for it as long as is decent.
func (r *run) flush() {
	r.out.close()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-r.out.done:
	case <-timer.C:
	}
}

// converse serves one session until the end of in.
func (r *run) converse(in io.Reader) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	server := r.describe()
	session := peer.NewSession(r.ctx, server, r.out.write)
	defer r.windDown(server, session)
	// A frame that cannot be sent must not keep the end from being seen.
	defer context.AfterFunc(r.ctx, r.out.close)()
	lines := make(chan []byte)
	ended := make(chan error, 1)
	go func() { ended <- readLines(r.ctx, in, lines) }()
	for {
		select {
		case line := <-lines:
			r.handle(session, line)
		case err := <-ended:
			return r.end(err)
		case <-r.ctx.Done():
			return context.Cause(r.ctx)
		}
	}
}

func (r *run) handle(session *peer.Session, line []byte) {
	if line == nil {
		r.out.write(jsonrpc.AppendError(nil, "null", jsonrpc.CodeParseError, "the frame is too long", nil))
		return
	}
	session.Handle(line, lineReply{r.out})
}

func (r *run) end(err error) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	if r.fault.end != nil {
		r.fault.end(r)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// windDown lets what runs finish quickly, and stops the rest.
func (r *run) windDown(server *peer.Server, session *peer.Session) {
	server.EndSubscriptions()
	idle := make(chan struct{})
	go func() {
		session.Wait()
		close(idle)
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	case <-r.ctx.Done():
	}
	session.Close()
	select {
	case <-idle:
		return
	case <-time.After(grace):
	}
	r.out.close() // a writer may still be blocked
	<-idle
}

// lineReply sends everything down the one stream.
type lineReply struct{ out *lineWriter }

func (l lineReply) Send(frame []byte) { l.out.write(frame) }

func (l lineReply) Answer(frame []byte) {
	if frame != nil {
		l.out.write(frame)
	}
}
