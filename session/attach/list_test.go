package attach_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mcptea/client/revision"
	"mcptea/session/attach"
	"mcptea/session/session"
)

// What is at the socket of a process need not be one of this version of mcptea, or of this
// user.
func TestList_Problems(t *testing.T) {
	for name, tc := range map[string]struct {
		mode os.FileMode
		line string
		want string
	}{
		"another version":        {0o600, `{"version":99}` + "\n", "is of another version of mcptea"},
		"something else":         {0o600, "220 smtp\n", "is of another version of mcptea"},
		"closes at once":         {0o600, "", "has closed the connection"},
		"writable by every user": {0o666, `{"version":1}` + "\n", "is writable by every user"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && tc.mode != 0o600 {
				t.Skip("files have no such mode")
			}
			state := stateDir(t)
			l, err := attach.ListenSocket(filepath.Join(state, "connections"), "77")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = l.Close() }()
			if err := os.Chmod(l.Path(), tc.mode); err != nil {
				t.Fatal(err)
			}
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = conn.Write([]byte(tc.line))
					_ = conn.Close()
				}
			}()
			all, err := attach.List(t.Context(), state)
			if err != nil || len(all) != 1 || all[0].ID != "77" || !strings.Contains(all[0].Problem, tc.want) {
				t.Errorf("%+v %v", all, err)
			}
		})
	}
}

// The error about a process that sends nothing names the process and nothing else.
func TestDial_Silent(t *testing.T) {
	state := stateDir(t)
	l, err := attach.ListenSocket(filepath.Join(state, "connections"), "77")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		if conn, err := l.Accept(); err == nil {
			_, _ = conn.Read(make([]byte, 1)) // until the other side closes it
			_ = conn.Close()
		}
	}()
	if _, _, err := attach.Dial(t.Context(), l.Path(), attach.Agent); err == nil || err.Error() != "the process 77 does not respond" {
		t.Errorf("%v", err)
	}
}

// A connection that is one too many is told so, in the list and when it is used.
func TestDial_TooManyConnections(t *testing.T) {
	i := newInspector(t, revision.R20251125)
	found, err := attach.List(t.Context(), i.state)
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	for range attach.MaxConnections {
		conn, err := attach.DialSocket(t.Context(), found[0].Socket)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	want := fmt.Sprintf("the process %s has 256 connections, as many as it serves: end commands", found[0].ID)
	all, err := attach.List(t.Context(), i.state)
	if err != nil || len(all) != 1 || !strings.HasPrefix(all[0].Problem, want) {
		t.Errorf("%+v, %v", all, err)
	}
	if _, _, err := attach.Dial(t.Context(), found[0].Socket, attach.Agent); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("for an agent: %v", err)
	}
	s, err := session.Open(session.Config{Target: found[0].Use(), Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(t.Context()) }()
	if err := s.Connect(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a command: %v", err)
	}
}

// A list without a directory is empty; another reason is said.
func TestList_Directory(t *testing.T) {
	state := stateDir(t)
	if all, err := attach.List(t.Context(), state); len(all) > 0 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	if err := os.WriteFile(filepath.Join(state, "connections"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := attach.List(t.Context(), state); err == nil || !strings.HasPrefix(err.Error(), "cannot list the shared connections: ") {
		t.Errorf("a file in the place of the directory: %v", err)
	}
}

// A session that is opened after another one has ended has an id of its own: a command that names
// the one that ended does not reach another server.
func TestServe_IDIsNotUsedAgain(t *testing.T) {
	var ids []string
	for range 3 {
		i := newInspector(t, revision.R20251125)
		all, err := attach.List(t.Context(), i.state)
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v %v", all, err)
		}
		if slices.Contains(ids, all[0].ID) {
			t.Errorf("%s is the id of two sessions: %s", all[0].ID, ids)
		}
		ids = append(ids, all[0].ID)
		i.listener.Close()
	}
}

// A list that is given up while a process closes its connection ends, with or without that process.
func TestList_GivenUpWhileAConnectionCloses(t *testing.T) {
	state := stateDir(t)
	dir, err := attach.Directory(state)
	if err != nil {
		t.Fatal(err)
	}
	l, err := attach.ListenSocket(dir, "1")
	if err != nil {
		t.Fatal(err)
	}
	closing := make(chan struct{})
	var giveUp atomic.Pointer[context.CancelFunc]
	go func() {
		defer close(closing)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go (*giveUp.Load())()
			_ = conn.Close()
		}
	}()
	for range 300 {
		ctx, cancel := context.WithCancel(t.Context())
		giveUp.Store(&cancel)
		_, _ = attach.List(ctx, state) // what it finds depends on what was first
		cancel()
	}
	_ = l.Close()
	<-closing
}
