package attach

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The socket of a process that is stopped has no room for connections after some: that is said, and the
// socket remains.
func TestDial_NotAccepted(t *testing.T) {
	dir := socketDir(t)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "9.sock")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(fd) }()
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 1); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		var conn net.Conn
		if conn, err = dialSocket(t.Context(), path); err != nil {
			break
		}
		defer func() { _ = conn.Close() }()
	}
	if err == nil || !strings.Contains(err.Error(), "accepts no connection (") || !strings.HasSuffix(err.Error(), ": it is stopped, or other programs connect without end; continue or end it") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the socket was removed: %v", err)
	}
}
