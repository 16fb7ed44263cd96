package attach

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func pathsIn(dir string) ([]string, error) {
	return eachSocket(dir, func(path string) (string, bool) { return path, true })
}

// A socket that cannot be created is named in the error.
func TestListen_Errors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("long", 30)
	if err := os.MkdirAll(filepath.Join(dir, long, "1"+socketSuffix, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{
		filepath.Join(file, "x"): "cannot create the directory of sockets: mkdir " + file,
		filepath.Join(dir, long): "cannot listen on " + filepath.Join(dir, long, "1"+socketSuffix) + ": rename ",
	}
	if runtime.GOOS == "linux" {
		cases["/proc/self"] = "cannot protect the directory of sockets: chmod /proc/self: operation not permitted"
	}
	for dir, want := range cases {
		if l, err := listenSocket(dir, "1"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
			if err == nil {
				_ = l.Close()
			}
		}
	}
}

// Only the user can enter the directories that are created for a socket.
func TestListen_ModeOfDirectories(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes")
	}
	above := filepath.Join(t.TempDir(), "state")
	dir := filepath.Join(above, "taps")
	l, err := listenSocket(dir, "1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	for path, want := range map[string]os.FileMode{above: 0o700, dir: 0o700, l.Path(): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has the mode %v, want %v", path, got, want)
		}
	}
}

func TestListen_OnlyUserCanConnect(t *testing.T) {
	for name, dir := range map[string]string{
		"short": socketDir(t),
		"long":  filepath.Join(t.TempDir(), strings.Repeat("long", 30)),
	} {
		t.Run(name, func(t *testing.T) {
			l, err := listenSocket(dir, "7")
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				conn, err := l.Accept()
				if err == nil {
					_, _ = io.WriteString(conn, "hello")
					_ = conn.Close()
				}
			}()
			paths, err := pathsIn(dir)
			if err != nil || len(paths) != 1 || paths[0] != l.Path() {
				t.Fatalf("list %v, %v; want %s", paths, err, l.Path())
			}
			conn, err := dialSocket(t.Context(), paths[0])
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := io.ReadAll(conn); string(got) != "hello" {
				t.Errorf("read %q", got)
			}
			_ = conn.Close()
			if info, _ := os.Stat(dir); info.Mode().Perm() != 0o700 {
				t.Errorf("directory mode %v", info.Mode())
			}
			if info, _ := os.Stat(paths[0]); info.Mode().Perm() != 0o600 {
				t.Errorf("socket mode %v", info.Mode())
			}
			file, _ := filepath.EvalSymlinks(paths[0])
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			for _, path := range []string{paths[0], file} {
				if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s remains: %v", path, err)
				}
			}
		})
	}
}

// socketDir is a directory with a path that a socket can have.
func socketDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "mcptea-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "taps")
}

func TestDial_RemovesSocketOfEndedProcess(t *testing.T) {
	dir := socketDir(t)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "9.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	if _, err := dialSocket(t.Context(), path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if paths, err := pathsIn(dir); err != nil || len(paths) != 0 {
		t.Errorf("list %v, %v", paths, err)
	}
}

func TestListen_ReplacesSocketOfEndedProcess(t *testing.T) {
	dir := socketDir(t)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "9.sock")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := listenSocket(dir, "9")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	conn, err := dialSocket(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}

// When there are many sockets, a new one removes those of processes that have ended.
func TestListen_MaxStale(t *testing.T) {
	for stale, want := range map[int]int{16: 17, 17: 1} {
		dir := socketDir(t)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for i := range stale {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".sock")), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l, err := listenSocket(dir, "new")
		if err != nil {
			t.Fatal(err)
		}
		if paths, err := pathsIn(dir); err != nil || len(paths) != want {
			t.Errorf("with %d sockets of ended processes there are %d, %v, want %d", stale, len(paths), err, want)
		}
		_ = l.Close()
	}
}

// A path that is too long for a socket is a link to one.
func TestListen_MaxPath(t *testing.T) {
	for size, linked := range map[int]bool{100: false, 101: true} {
		dir := socketDir(t)
		name := strings.Repeat("x", size-len(dir)-len("/")-len(socketSuffix))
		l, err := listenSocket(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(l.Path())
		if err != nil || len(l.Path()) != size || (info.Mode()&os.ModeSymlink != 0) != linked {
			t.Errorf("a path of %d bytes is %v, %v", len(l.Path()), info.Mode(), err)
		}
		_ = l.Close()
	}
}

// Connections to a socket are bounded; one that has ended makes room.
func TestAccept_Bound(t *testing.T) {
	dir := socketDir(t)
	l, err := listenSocket(dir, "7")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	l.refusal = []byte("full\n")
	conns := make(chan net.Conn, maxConnections+1)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns <- conn
		}
	}()
	dial := func() net.Conn {
		t.Helper()
		conn, err := dialSocket(t.Context(), l.Path())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	var first net.Conn
	for range maxConnections {
		dial()
		first = <-conns
	}
	if text, err := io.ReadAll(dial()); string(text) != "full\n" || err != nil {
		t.Errorf("a further connection gets %q, %v", text, err)
	}
	_ = first.Close()
	_ = first.Close() // twice does not count twice
	dial()
	<-conns
	if text, err := io.ReadAll(dial()); string(text) != "full\n" || err != nil {
		t.Errorf("two connections have the room of one: %q, %v", text, err)
	}
}
