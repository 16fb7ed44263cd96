package stdio

import (
	"errors"
	"net/netip"
	"os"
	"slices"
	"syscall"
	"testing"
)

// A port whose queue is full accepts no connection: the next one waits for a response.
func TestConnecting_FullQueue(t *testing.T) {
	open := func() int {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Close(fd) })
		return fd
	}
	listener := open()
	if err := syscall.Bind(listener, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(listener, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(listener)
	if err != nil {
		t.Fatal(err)
	}
	at := name.(*syscall.SockaddrInet4)
	want := netip.AddrPortFrom(netip.AddrFrom4(at.Addr), uint16(at.Port)).String()
	if slices.Contains(connecting(os.Getpid()), want) {
		t.Error("it is connecting already")
	}
	for range 4 {
		if err := syscall.Connect(open(), at); err != nil && !errors.Is(err, syscall.EINPROGRESS) {
			t.Fatal(err)
		}
	}
	if got := connecting(os.Getpid()); !slices.Contains(got, want) {
		t.Errorf("%q, want %q among them", got, want)
	}
}

func TestSocketAddress(t *testing.T) {
	for text, want := range map[string]string{
		"0100007F:1F90":                         "127.0.0.1:8080",
		"00000000000000000000000001000000:0050": "[::1]:80",
		"0000000000000000FFFF00000100007F:1F90": "127.0.0.1:8080",
		"zz:1":                                  "",
		"":                                      "",
	} {
		got, ok := socketAddress(text)
		if got != want && ok || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", text, got, ok, want)
		}
	}
}
