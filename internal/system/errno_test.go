package system

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
)

func TestIs_ConnectionRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	_, err = net.Dial("tcp", address)
	if !IsErrno(err, syscall.ECONNREFUSED) || IsErrno(err, syscall.ECONNRESET) {
		t.Errorf("%v (%T)", err, err)
	}
}

func TestIs_BrokenPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	_, err = w.Write([]byte("x"))
	_ = w.Close()
	if !IsErrno(err, syscall.EPIPE) {
		t.Errorf("%v", err)
	}
}

func TestIsWindows(t *testing.T) {
	wrap := func(number syscall.Errno) error {
		return fmt.Errorf("POST: %w", &net.OpError{Op: "dial", Err: os.NewSyscallError("connectex", number)})
	}
	for _, c := range []struct {
		err  error
		name syscall.Errno
		want bool
	}{
		{wrap(10061), syscall.ECONNREFUSED, true},
		{wrap(10053), syscall.ECONNRESET, true},
		{wrap(10054), syscall.ECONNRESET, true},
		{wrap(10065), syscall.EHOSTUNREACH, true},
		{wrap(232), syscall.EPIPE, true},
		{wrap(193), syscall.ENOEXEC, true},
		{wrap(10061), syscall.ECONNRESET, false},
		{wrap(10099), 0, false},
		{io.EOF, syscall.EPIPE, false},
		{nil, syscall.EPIPE, false},
	} {
		if got := isWindows(c.err, c.name); got != c.want {
			t.Errorf("isWindows(%v, %v) = %v", c.err, c.name, got)
		}
	}
}

func TestNamed(t *testing.T) {
	number := syscall.Errno(10061)
	err := fmt.Errorf("dial 127.0.0.1:1: %w", number)
	got := named(err)
	if got.Error() != "dial 127.0.0.1:1: "+syscall.ECONNREFUSED.Error() || !errors.Is(got, number) {
		t.Errorf("%v", got)
	}
	if other := named(io.EOF); other != io.EOF {
		t.Errorf("%v becomes %v", io.EOF, other)
	}
}
