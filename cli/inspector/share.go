package inspector

import (
	"context"
	"errors"
	"io"
	"net"

	"mcptea/agent"
	"mcptea/check/probe"
	"mcptea/cli/app"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/internal/system"
	"mcptea/session/attach"
	"mcptea/session/session"
	"mcptea/session/sharing"
)

// share lets commands and coding agents of the same user use the session of an inspector,
// until stop is called. Without a socket the inspector works as usual.
func (p *Inspector) share(s *session.Session, with *sharing.Session) (stop func()) {
	state, err := system.StateDir()
	if err != nil {
		return func() {}
	}
	l, err := attach.Serve(state, attach.Of(s), map[string]attach.Handler{attach.Agent: func(ctx context.Context, in io.Reader, conn net.Conn) {
		p.serveAgent(ctx, in, conn, s, with)
	}})
	if err != nil {
		return func() {}
	}
	return l.Close
}

// serveAgent serves a coding agent that shares a session.
func (p *Inspector) serveAgent(ctx context.Context, in io.Reader, conn net.Conn, s *session.Session, with *sharing.Session) {
	defer with.Connected()()
	_ = agent.Serve(ctx, in, conn, agent.Options{ // Serve ends when the agent ends
		Version: p.Version.Version, OpenRecording: p.recordingForAgent,
		Probe: func(t client.Target) (probe.Config, error) {
			cfg := s.Config()
			return probe.Config{Target: t, Client: cfg.Client}, nil
		},
		Shared: &agent.Shared{Session: s, Confirm: with.Ask, Sent: func(c *session.Call) { with.Sent(c) }},
	})
}

// attachAgent connects stdin and stdout to a running inspector: the inspector with an id, or the only
// inspector.
func (p *Inspector) attachAgent(id string) error {
	all, err := p.SharedConnections(attach.Inspector)
	if err != nil {
		return err
	}
	chosen, err := target.ChooseShared(all, id, "inspector", "mcptea mcp --attach=ID")
	if err != nil {
		return err
	}
	conn, in, err := attach.Dial(p.Ctx, chosen.Socket, attach.Agent)
	if err != nil {
		return app.Failed("cannot attach to the inspector: %v", err)
	}
	return p.pipe(conn, in)
}

// pipe copies bytes between stdin and stdout and a connection, until stdin has ended and its responses were
// copied, or the inspector ends.
func (p *Inspector) pipe(conn net.Conn, in io.Reader) error {
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(p.Ctx, func() { _ = conn.Close() })()
	closed := make(chan struct{})
	go func() { // ends with the process, or with stdin
		_, _ = io.Copy(conn, p.In)
		close(closed)
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
	}()
	_, err := io.Copy(p.Out.Writer, in)
	if cause := context.Cause(p.Ctx); cause != nil {
		return cause
	}
	select {
	case <-closed: // the agent has ended the connection
		return nil
	default:
	}
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return app.Failed("the connection to the inspector failed: %v", err)
	}
	return app.Failed("the inspector has ended")
}
