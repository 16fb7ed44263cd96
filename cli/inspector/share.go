package inspector

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcptea/agent"
	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/session"
	"mcptea/session/probe"
	"mcptea/session/sharing"
	"mcptea/session/socket"
)

// inspectorsDir is the directory of the sockets of running inspectors.
func inspectorsDir() (string, error) {
	state, err := session.StateDir()
	return filepath.Join(state, "inspectors"), err
}

const (
	// describeInspector is the first line of a connection that asks what an inspector is about.
	describeInspector = "describe"
	// describeTimeout is how long that may take, and how long the first line of a
	// connection may.
	describeTimeout = 2 * time.Second
)

// inspectorLine describes a running inspector.
type inspectorLine struct {
	ID     string `json:"id"`
	Target string `json:"target"` // redacted
}

// share lets coding agents of the same user attach to the session of an inspector,
// until stop is called. Without a socket the inspector works as usual.
func (p *Inspector) share(s *session.Session, with *sharing.Session) (stop func()) {
	ctx, cancel := context.WithCancel(p.Ctx)
	var serving sync.WaitGroup
	serving.Go(func() {
		dir, err := inspectorsDir()
		if err != nil {
			return
		}
		l, err := socket.Listen(dir, strconv.Itoa(os.Getpid()))
		if err != nil {
			return
		}
		defer context.AfterFunc(ctx, func() { _ = l.Close() })()
		defer func() { _ = l.Close() }()
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { p.serveAgent(ctx, conn, s, with) })
		}
	})
	return func() { cancel(); serving.Wait() }
}

// serveAgent serves one connection to the socket: an agent, or a question what the
// inspector is about.
func (p *Inspector) serveAgent(ctx context.Context, conn net.Conn, s *session.Session, with *sharing.Session) {
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	in := bufio.NewReader(conn)
	_ = conn.SetReadDeadline(time.Now().Add(describeTimeout))
	first, _ := in.Peek(len(describeInspector))
	_ = conn.SetReadDeadline(time.Time{})
	if string(first) == describeInspector {
		_ = conn.SetWriteDeadline(time.Now().Add(describeTimeout))
		t := s.Target()
		_ = json.NewEncoder(conn).Encode(inspectorLine{strconv.Itoa(os.Getpid()), t.String()})
		return
	}
	defer with.Connected()()
	_ = agent.Serve(ctx, in, conn, agent.Options{ // its end is that of the agent
		Version: p.Version.Version, OpenRecording: p.recordingForAgent,
		Probe: func(t client.Target) (probe.Config, error) {
			cfg := s.Config()
			return probe.Config{Target: t, Client: cfg.Client}, nil
		},
		Shared: &agent.Shared{Session: s, Confirm: with.Ask, Sent: with.Sent},
	})
}

// inspectors describes the running inspectors.
func inspectors(ctx context.Context) (all []inspectorLine, err error) {
	dir, err := inspectorsDir()
	if err != nil {
		return nil, err
	}
	paths, err := socket.List(dir)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	for _, path := range paths {
		conn, err := socket.Dial(ctx, path)
		if err != nil {
			continue // it has ended
		}
		_ = conn.SetDeadline(time.Now().Add(describeTimeout))
		line := inspectorLine{ID: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
		if _, err = io.WriteString(conn, describeInspector+"\n"); err == nil {
			err = json.NewDecoder(conn).Decode(&line)
		}
		_ = conn.Close()
		if err == nil {
			all = append(all, line)
		}
	}
	return all, nil
}

// attachAgent connects stdin and stdout to a running inspector: the one of an id, or
// the only one.
func (p *Inspector) attachAgent(id string) error {
	all, err := inspectors(p.Ctx)
	if err != nil {
		return app.Failed("%v", err)
	}
	var lines []string
	found := -1
	for i, one := range all {
		lines = append(lines, fmt.Sprintf("  %s  %s", one.ID, one.Target))
		if one.ID == id || id == "" && len(all) == 1 {
			found = i
		}
	}
	switch {
	case len(all) == 0:
		return app.Usage("Start one: mcptea TARGET", "no inspector is running")
	case found < 0 && id == "":
		return app.Usage("Name one: mcptea mcp --attach=ID\n"+strings.Join(lines, "\n"), "%d inspectors are running", len(all))
	case found < 0:
		return app.Usage("The running inspectors:\n"+strings.Join(lines, "\n"), "--attach: no inspector has the id %q", id)
	}
	dir, err := inspectorsDir()
	if err != nil {
		return app.Failed("%v", err)
	}
	conn, err := socket.Dial(p.Ctx, filepath.Join(dir, all[found].ID+socket.Suffix))
	if err != nil {
		return app.Failed("cannot attach to the inspector: %v", err)
	}
	return p.pipe(conn)
}

// pipe copies bytes between stdin and stdout and a connection, until stdin ends and
// what belongs to it was copied, or the inspector ends.
func (p *Inspector) pipe(conn net.Conn) error {
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
	_, err := io.Copy(p.Out.Writer, conn)
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
