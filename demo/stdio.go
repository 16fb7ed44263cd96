package demo

import (
	"context"
	"io"
	"sync/atomic"

	"mcptea/internal/server/peer"
	"mcptea/internal/server/rpcserver"
)

// ServeStdio serves one client: it reads and writes one frame per line on in and out, and writes
// text for users to errs. It returns nil soon after the end of in. If ctx ends or out fails, it
// returns the cause. If in is an [io.Closer], it is closed when ctx ends, so that no read remains.
// out and errs stay open (except with the fault that closes out). A write that the other side never
// reads may continue after the call.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out, errs io.Writer) error {
	if s.err != nil {
		return s.err
	}
	r := &run{options: s.options, fault: s.fault, errs: errs, out: &output{Writer: out}}
	r.ctx, r.stop = context.WithCancelCause(ctx)
	defer r.stop(nil)
	server := r.describe()
	r.stdio = rpcserver.Stdio{
		Out: r.out, Open: peer.Opener(r.ctx, server), Append: s.fault.appendFrame(),
		AtEnd: func() {
			if r.fault.end != nil {
				r.fault.end(r)
			}
			server.EndSubscriptions()
		},
	}
	if s.fault.start != nil {
		s.fault.start(r)
	}
	return r.stdio.Serve(r.ctx, in)
}

// output is standard output, which a fault may close. Later output is lost.
type output struct {
	io.Writer
	closed atomic.Bool
}

func (o *output) Write(b []byte) (int, error) {
	if o.closed.Load() {
		return len(b), nil
	}
	return o.Writer.Write(b)
}

func (o *output) Close() error {
	o.closed.Store(true)
	if c, ok := o.Writer.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
