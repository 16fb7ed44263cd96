package attach

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mcptea/internal/system"
)

// socketSuffix is the end of the names of sockets.
const socketSuffix = ".sock"

const (
	// maxPath is the longest path that a socket can have on every system; macOS has
	// room for 103 bytes.
	maxPath = 100
	// maxStale is the number of sockets above which a new socket removes the sockets of ended processes.
	maxStale = 16
	// probeTimeout is the time that a process gets to accept a connection.
	probeTimeout = time.Second
	// refuseTimeout is the maximum time for writing the refusal. The buffer of the socket has room for it.
	refuseTimeout = 100 * time.Millisecond
)

// maxConnections bounds the open connections to one socket: inspectors, commands and agents of one user.
// Further ones receive the [socketListener.refusal] and are closed immediately.
const maxConnections = 256

// socketListener accepts connections to a socket.
type socketListener struct {
	net.Listener
	// refusal is a line for a connection that is one too many. It is set before the first Accept.
	refusal []byte

	open  atomic.Int32 // connections; at most maxConnections
	path  string
	files []string // files that Close removes, in this order
	once  sync.Once
}

// listenSocket creates the socket of a name in a directory, which is created if necessary.
// One with the same name, of a process that has ended, is replaced.
//
// A path that is too long for a socket becomes a symbolic link to a socket in a
// directory for temporary files.
func listenSocket(dir, name string) (*socketListener, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the directory of sockets: %w", err)
	}
	// It fails in a directory of another user.
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a directory
		return nil, fmt.Errorf("cannot protect the directory of sockets: %w", err)
	}
	if paths, err := sockets(dir); err == nil && len(paths) > maxStale {
		removeStale(paths)
	}
	path := filepath.Join(dir, name+socketSuffix)
	// A socket that is bound but does not listen yet looks like the socket of an ended process. So it gets
	// its final name later.
	early := filepath.Join(dir, "."+name)
	l := &socketListener{path: path, files: []string{path}}
	if len(early) > maxPath || len(path) > maxPath {
		temporary, err := shortDir()
		if err != nil {
			return nil, err
		}
		file := filepath.Join(temporary, "s")
		l.files = append(l.files, file, temporary)
		if l.Listener, err = listenUnix(file); err == nil {
			_ = os.Remove(early)
			err = os.Symlink(file, early)
		}
		if err == nil {
			err = os.Rename(early, path)
		}
		if err != nil {
			_ = l.Close()
			return nil, fmt.Errorf("cannot listen on %s: %w", path, err)
		}
		return l, nil
	}
	if runtime.GOOS == "windows" {
		early = path
	}
	_ = os.Remove(early)
	var err error
	if l.Listener, err = listenUnix(early); err != nil {
		return nil, err
	}
	if err := os.Rename(early, path); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

func listenUnix(path string) (net.Listener, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // the socket is renamed
	if err := os.Chmod(path, 0o600); err != nil && runtime.GOOS != "windows" {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// shortDir creates a directory with a short path.
func shortDir() (string, error) {
	base := os.TempDir()
	if len(base) > maxPath/2 && runtime.GOOS != "windows" {
		base = "/tmp"
	}
	return os.MkdirTemp(base, "mcptea-")
}

// Accept implements [net.Listener].
func (l *socketListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= maxConnections {
			return &accepted{Conn: conn, closed: sync.OnceFunc(func() { l.open.Add(-1) })}, nil
		}
		l.open.Add(-1)
		_ = conn.SetWriteDeadline(time.Now().Add(refuseTimeout))
		_, _ = conn.Write(l.refusal)
		_ = conn.Close()
	}
}

// accepted is a connection that counts while it is open.
type accepted struct {
	net.Conn
	closed func()
}

// Close implements [net.Conn].
func (c *accepted) Close() error {
	defer c.closed()
	return c.Conn.Close()
}

// Path returns the file in the directory.
func (l *socketListener) Path() string { return l.path }

// Close ends the listener and removes its files.
func (l *socketListener) Close() (err error) {
	l.once.Do(func() {
		for _, f := range l.files {
			_ = os.Remove(f)
		}
		if l.Listener != nil {
			err = l.Listener.Close()
		}
	})
	return err
}

// sockets returns the paths of the sockets in a directory, including sockets of ended processes. It
// returns none if the directory does not exist.
func sockets(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var paths []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && strings.HasSuffix(e.Name(), socketSuffix) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// eachSocket calls ask for all sockets in a directory at the same time, and returns the results in the order of
// the names.
func eachSocket[T any](dir string, ask func(path string) (found T, ok bool)) ([]T, error) {
	paths, err := sockets(dir)
	if err != nil {
		return nil, err
	}
	found := make([]*T, len(paths))
	var wait sync.WaitGroup
	for i, path := range paths {
		wait.Go(func() {
			if one, ok := ask(path); ok {
				found[i] = &one
			}
		})
	}
	wait.Wait()
	var all []T
	for _, one := range found {
		if one != nil {
			all = append(all, *one)
		}
	}
	return all, nil
}

// dialSocket connects to a socket. One whose process has ended is removed, and the error is
// [os.ErrNotExist] then. One that another user may have made is not connected to.
func dialSocket(ctx context.Context, path string) (net.Conn, error) {
	file := path
	if target, err := os.Readlink(path); err == nil {
		file = target
	}
	if err := system.CheckOwner(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("the socket is not trusted: %w", err)
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", file)
	switch {
	case err == nil:
		return conn, nil
	case system.IsErrno(err, syscall.EAGAIN), isStale(err) && refusesLive && lives(path): // the backlog is full
		return nil, fmt.Errorf("the process of %s accepts no connection (%w): it is stopped, or other programs connect without end; continue or end it", path, err)
	case !isStale(err):
		return nil, err
	}
	_ = os.Remove(path)
	if file != path && strings.HasPrefix(filepath.Base(filepath.Dir(file)), "mcptea-") {
		_ = os.Remove(file)
		_ = os.Remove(filepath.Dir(file))
	}
	return nil, fmt.Errorf("the process of %s has ended: %w", path, os.ErrNotExist)
}

// refusesLive reports that a full backlog has the same error as an ended process. Linux has a different error.
const refusesLive = runtime.GOOS != "linux"

// lives reports whether there is a process with the id at the start of a socket's name.
func lives(path string) bool {
	name := filepath.Base(path)
	digits := len(name) - len(strings.TrimLeft(name, "0123456789"))
	pid, err := strconv.Atoi(name[:digits])
	if err != nil || pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	return p.Signal(syscall.Signal(0)) == nil
}

// isStale reports that no process listens.
func isStale(err error) bool {
	return system.IsErrno(err, syscall.ECONNREFUSED) || errors.Is(err, os.ErrNotExist)
}

// removeStale removes the sockets whose process has ended.
func removeStale(paths []string) {
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	for _, path := range paths {
		if conn, err := dialSocket(ctx, path); err == nil {
			_ = conn.Close()
		}
	}
}
