package failure_test

import (
	"errors"
	"net"
	"os"
	"syscall"

	"mcptea/internal/test/processes"
)

// A server that waits for a service shows to the system what it is connecting to.
var _ = register([]broken{{
	name: "waits for a service", within: soon, child: connectsInVain,
	sentence: "Timed out after ⋯ waiting for the initialize response: it is connecting to 127.0.0.1:⋯, which does not respond.",
	cause:    "The server waits until 127.0.0.1:⋯ accepts a connection", try: "Start that service", absent: []string{"speak another protocol", "raise --connect-timeout"},
}})

// connectsInVain fills the queue of a port and connects to it.
func connectsInVain() {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	err = errors.Join(err, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), syscall.Listen(fd, 0))
	name, bad := syscall.Getsockname(fd)
	if err != nil || bad != nil {
		os.Exit(1)
	}
	to := net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: name.(*syscall.SockaddrInet4).Port}
	for range 4 {
		go func() { _, _ = net.Dial("tcp", to.String()) }()
	}
	processes.Hang()
}
