package session

import (
	"context"
	"errors"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/record"
	"mcptea/session/requests"
)

// Connect connects and, in the background, fetches the lists. It returns when
// the handshake is over; its error is in the state too. The context bounds the
// attempt.
func (s *Session) Connect(ctx context.Context) error {
	s.connecting <- struct{}{}
	defer func() { <-s.connecting }()
	return s.connect(ctx, Cause{})
}

func (s *Session) connect(ctx context.Context, cause Cause) error {
	if s.recorded != nil {
		return errRecording
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	start := time.Now()
	target := s.Target()
	s.store.Connection(record.Connection{What: record.ConnectionOpened, Transport: target.TransportName(), Target: target.String()})
	conn := s.store.Conn()
	c := s.dial()
	s.mu.Lock()
	if s.closed() {
		s.mu.Unlock()
		return client.ErrClosed
	}
	s.client, s.stop = c, stop
	clear(s.refetch)
	clear(s.pauses)
	first := s.state.Attempt == 0
	s.state = State{Phase: Connecting, Attempt: s.state.Attempt + 1, Started: start, Lists: s.state.Lists, Renewed: s.renewedReasonFor(), Current: s.state.Current, Failures: s.state.Failures}
	s.updates.connected(conn)
	s.mu.Unlock()
	s.store.Notify()
	err := c.Connect(ctx)
	s.mu.Lock()
	s.state.Took = time.Since(start)
	s.state.Phase, s.state.Handshake, s.state.Detection = Ready, c.Handshake(), c.EraDetection()
	var nowhere *client.FallbackError
	if c.Target().URL != "" && !errors.As(err, &nowhere) {
		s.transport = c.Target().TransportName()
	}
	s.era = eraOfNext(s.state.Detection)
	if err == nil || ctx.Err() == nil { // otherwise another change has ended the attempt
		s.started = max(s.started, cause.Generation)
		s.outcome.Stands(s.started)
	}
	if err != nil {
		s.state.Phase, s.state.Err = Failed, err
		s.state.failed(conn)
		s.era = s.state.Detection.Late
	}
	ready := record.Connection{
		What: record.ConnectionReady, Transport: s.transport,
		Revision: string(s.state.Handshake.Revision), Server: s.state.Handshake.Server.String(),
	}
	if s.state.Attempt > 1 {
		ready.Restart, ready.Cause, ready.Built = s.restartCount+1, cause.Text, cause.Built
	}
	s.mu.Unlock()
	s.store.Notify()
	if err != nil {
		s.disconnect(ctx, "")
		return s.diagnosed(ctx, start, err)
	}
	c.NoteDescendants()
	s.store.Connection(ready)
	s.restarted(conn, cause)
	s.wg.Go(func() { s.watch(c, conn) })
	s.watchLists(c)
	s.tasks.Resume(c)
	if s.cfg.Branch == "" || !first {
		s.begin(c)
	} else { // the lists are fetched when the session is live
		s.mu.Lock()
		s.offers(c.Handshake())
		s.mu.Unlock()
	}
	s.resubscribeResources(c)
	return nil
}

// eraOfNext returns the era that the next connection tries first.
func eraOfNext(d client.EraDetection) revision.Era {
	if d.Late != revision.EraUnknown {
		return d.Late
	}
	return d.Era
}

func (s *Session) dial() *client.Client {
	tap := s.Tap()
	if s.cfg.Dial != nil {
		return s.cfg.Dial(tap, s.clientConfig())
	}
	return client.New(s.Target(), tap, s.clientConfig())
}

// clientConfig returns the client's configuration with the session's callbacks
// and the capabilities that the policies allow.
func (s *Session) clientConfig() client.Config {
	s.mu.Lock()
	cfg := s.cfg.Client
	s.mu.Unlock()
	cfg.Secrets = s.secrets
	cfg.OnServerRequest, cfg.OnInputDropped, cfg.Note, cfg.Tasks, cfg.SessionExpired = s.serverRequest, s.inputDropped, s.note, true, s.expired
	s.mu.Lock()
	cfg.Era = s.era
	if s.ids != nil {
		cfg.IDs = func() int64 { return s.ids.Add(1) }
	}
	s.mu.Unlock()
	policies := s.inbox.Policies()
	cfg.Sampling = policies.Sampling.Mode != requests.PolicyNone
	cfg.Elicitation = policies.Elicitation.Mode != requests.PolicyNone
	cfg.PassRoots = func() bool { return s.inbox.Policies().Roots.Mode != requests.PolicyNone }
	if a := s.newAuthorizer(); a != nil {
		cfg.Authorization = a
	}
	return cfg
}

// watch records the end of a connection that was Ready.
func (s *Session) watch(c *client.Client, conn uint16) {
	<-c.Done()
	s.store.Disconnected(conn, reasonOf(c.Err()))
	s.mu.Lock()
	mine := s.client == c
	if mine && s.state.Phase == Ready {
		s.state.Phase, s.state.Err = Ended, c.Err()
		if s.state.Reconnects = s.reconnects(); s.state.Reconnects {
			attempt := s.state.Attempt
			s.wg.Go(func() { s.reconnect(attempt) })
		}
	}
	s.mu.Unlock()
	if mine {
		s.withdrawAll(time.Now())
	}
	s.store.Notify()
}

// reasonOf returns why a connection ended, or "" if the client ended it.
func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error() // error of a client, redacted
}

// withdrawAll ends what only a connection that has ended could answer.
func (s *Session) withdrawAll(at time.Time) {
	s.inbox.WithdrawAll(at)
	s.tasks.Disconnected(at)
}

// disconnect closes the current client.
func (s *Session) disconnect(ctx context.Context, reason string) {
	s.mu.Lock()
	c := s.client
	s.client, s.watcher = nil, nil
	if c != nil && s.era != revision.EraUnknown {
		s.era = eraOfNext(c.EraDetection())
	}
	for name, l := range s.state.Lists {
		if l.Loading {
			l.Loading = false // a fetch on the closed connection is discarded
			s.setList(name, l)
		}
	}
	s.mu.Unlock()
	if c != nil {
		s.gate.ForwardAll()
		s.makeRoom()
		// How the server ended is reported through the tap.
		_ = c.CloseFor(context.WithoutCancel(ctx), reason)
		s.dropHeld()
	}
	s.withdrawAll(time.Now())
	s.store.Disconnected(s.store.Conn(), "")
}

// Disconnect ends the connection permanently and waits for all goroutines of the session. The record then holds
// the last messages of the server. The context bounds the graceful shutdown of the server.
func (s *Session) Disconnect(ctx context.Context) {
	s.events.End(ctx)
	s.mu.Lock()
	s.end()
	if s.stop != nil {
		s.stop()
	}
	s.mu.Unlock()
	s.connecting <- struct{}{}
	if c := s.newest(); c != nil {
		s.gate.Release()
		s.makeRoom()
		_ = c.Close(ctx) // reported through the tap
		s.dropHeld()
		s.store.Disconnected(s.store.Conn(), reasonOf(c.Err()))
	}
	<-s.connecting // a waiting Restart fails because the session is closed
	s.linter.finish()
	s.wg.Wait()
}
