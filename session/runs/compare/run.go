package compare

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/session/explain/failure"
	"mcptea/session/offer"
	"mcptea/session/session"
)

// closeTimeout bounds the shutdown of a server after its run; its process is
// terminated before that.
const closeTimeout = 10 * time.Second

// connect does one run: it connects, fetches the lists, and closes the connection.
// pin is the revision to offer, empty to detect the era.
func (c *Comparison) connect(ctx context.Context, r, pin revision.Revision) (Run, client.EraDetection) {
	run := Run{Revision: r, Started: time.Now()}
	if ctx.Err() != nil {
		run.Outcome, run.Note = Skipped, "not tried: cancelled"
		return run, client.EraDetection{}
	}
	cfg := c.cfg
	cfg.Client.Revision = pin
	s, err := session.Open(cfg)
	if err != nil {
		run.fail(err, failure.Facts{})
		return run, client.EraDetection{}
	}
	defer func() {
		c.mu.Lock()
		c.live, c.ending = nil, time.Now().Add(closeTimeout)
		c.mu.Unlock()
		end, stop := context.WithTimeout(context.Background(), closeTimeout)
		defer stop()
		_ = s.Close(end) // nothing is recorded that could be lost
	}()
	c.begin(run, s)
	follow, stop := s.Store().Subscribe()
	defer stop()
	err = s.Connect(ctx)
	st := s.State()
	run.Took, run.Handshake = st.Took, st.Handshake
	run.Server, _ = jsonrpc.Member(run.Result, "serverInfo")
	if run.Revision == revision.NewestStateless {
		run.Server, _ = jsonrpc.Member(run.Result, "_meta", revision.MetaServerInfo)
	}
	run.settle(ctx, pin, st, err, s)
	if run.Outcome == Spoken {
		run.Lists = fetch(ctx, s, follow)
	}
	return run, st.Detection
}

// begin makes a run the current one.
func (c *Comparison) begin(run Run, s *session.Session) {
	run.Outcome = Running
	c.mu.Lock()
	*c.runOf(run.Revision) = run
	for i := range c.report.Runs {
		if c.report.Runs[i].Revision == run.Revision {
			c.at = i
		}
	}
	c.live = s
	c.report.Starts++
	c.mu.Unlock()
	c.changed()
}

// fetch fetches the lists that the server offers, one after the other.
func fetch(ctx context.Context, s *session.Session, changed <-chan struct{}) map[string]offer.List {
	for _, kind := range client.ListKinds {
		s.Fetch(kind)
		for s.State().Lists[kind.Name].Loading {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
			}
			lists := s.State().Lists
			l := lists[kind.Name]
			l.Loading, l.Err = false, context.Cause(ctx)
			lists[kind.Name] = l
			return lists
		}
	}
	return s.State().Lists
}

// settle sets the outcome of connecting.
func (r *Run) settle(ctx context.Context, pin revision.Revision, st session.State, err error, s *session.Session) {
	var revisions *client.RevisionError
	var rpc *client.RPCError
	handshake := pin == "" && st.Detection.Era == revision.EraHandshake
	if err != nil && ctx.Err() == nil && !handshake {
		r.fail(err, failure.FactsOf(s))
	}
	switch {
	case err != nil && ctx.Err() != nil:
		r.Outcome, r.Note = Skipped, "cancelled"
	case handshake:
		r.Outcome, r.Note = Refused, "not supported: "+strings.Join(st.Detection.Evidence, "; ")
		r.Handshake = client.Handshake{} // of another revision
	case err == nil && r.Handshake.Unknown != "":
		r.Outcome, r.Note = Instead, fmt.Sprintf("the server selected %q", r.Unknown)
	case err == nil && r.Handshake.Revision != r.Revision:
		r.Outcome, r.Note = Instead, fmt.Sprintf("the server selected %s", r.Handshake.Revision)
	case err == nil:
		r.Outcome = Spoken
	case errors.As(err, &revisions) && revisions.Selected != "":
		r.Outcome, r.Note = Instead, fmt.Sprintf("the server selected %q", revisions.Selected)
	case errors.As(err, &revisions):
		r.Outcome, r.Note = Refused, fmt.Sprintf("refused: the server lists %s", strings.Join(quoted(revisions.Listed), ", "))
	case errors.As(err, &rpc):
		r.Outcome, r.Note = Refused, fmt.Sprintf("refused: error %d %q", rpc.Code, rpc.Message)
	}
}

func (r *Run) fail(err error, facts failure.Facts) {
	r.Outcome, r.Err, r.Why = Failed, err, failure.Explain(err, facts)
	r.Note = r.Why.Sentence
}

func quoted(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = fmt.Sprintf("%q", t)
	}
	return out
}

// hopeless reports whether an attempt failed for a reason that is the same for
// every version: no command, connection refused, or no token, for which the user
// would be asked again each time.
func hopeless(err error) bool {
	var start *stdio.StartError
	var dial *net.OpError
	var refused *transport.AuthorizationError
	var status *transport.StatusError
	switch {
	case errors.As(err, &start), errors.As(err, &refused):
		return true
	case errors.As(err, &dial):
		return dial.Op == "dial"
	}
	return errors.As(err, &status) && status.Status == http.StatusUnauthorized
}
