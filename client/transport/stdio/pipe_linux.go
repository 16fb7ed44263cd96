package stdio

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pipeSize is how much the server can write before it is read. It is the most that a user
// may ask for.
const pipeSize = 1 << 20

// pipe is the end of a pipe that is read. The poller of the runtime knows it only while a read
// waits: it would be woken by every write of a fast server, and so take a processor from it.
type pipe struct {
	fd int
	// waiter is an epoll instance, which has the pipe while a read waits and is ready when
	// the pipe is.
	waiter  *os.File
	conn    syscall.RawConn
	waits   bool                     // the waiter has the pipe
	lingers bool                     // see linger
	try     func(epoll uintptr) bool // tryRead, made once
	buf     []byte
	n       int
	err     error
}

// newPipe creates a pipe: our end, and that of the child.
func newPipe() (source, *os.File, error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	_, _ = unix.FcntlInt(uintptr(fds[0]), unix.F_SETPIPE_SZ, pipeSize) // it is smaller where a user has many
	p, theirs := &pipe{fd: fds[0]}, os.NewFile(uintptr(fds[1]), "|1")
	if err := p.open(); err != nil {
		return nil, nil, errors.Join(err, unix.Close(p.fd), theirs.Close())
	}
	return p, theirs, nil
}

func (p *pipe) open() error {
	if err := unix.SetNonblock(p.fd, true); err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("epoll_create1", err)
	}
	_ = unix.SetNonblock(epoll, true) // or the poller does not take it, which a deadline reports
	p.waiter = os.NewFile(uintptr(epoll), "|0")
	p.try = p.tryRead
	if p.conn, err = p.waiter.SyscallConn(); err != nil {
		return errors.Join(err, p.waiter.Close())
	}
	return nil
}

// How often, and at which interval, a fast server that has written nothing is looked at before
// a read waits. To be woken for each line costs more than to handle it, on both sides.
const (
	lingering      = 50
	lingerInterval = 100 * time.Microsecond
)

func (p *pipe) linger(on bool) { p.lingers = on }

// Read implements [io.Reader].
func (p *pipe) Read(b []byte) (int, error) {
	p.buf = b
	err := p.conn.Read(p.try)
	p.buf = nil
	switch {
	case err != nil:
		return 0, err
	case p.n == 0 && p.err == nil && len(b) > 0:
		return 0, io.EOF
	}
	return max(p.n, 0), p.err
}

// tryRead reads, and reports false if it has to wait.
func (p *pipe) tryRead(epoll uintptr) bool {
	if p.waits {
		p.waits = false
		_ = unix.EpollCtl(int(epoll), unix.EPOLL_CTL_DEL, p.fd, nil)
	}
	p.readNow()
	for n := 0; p.err == unix.EAGAIN && p.lingers; n++ {
		time.Sleep(lingerInterval)
		p.readNow()
		p.lingers = n < lingering
	}
	if p.err != unix.EAGAIN {
		return true
	}
	p.err = unix.EpollCtl(int(epoll), unix.EPOLL_CTL_ADD, p.fd, &unix.EpollEvent{Events: unix.EPOLLIN})
	p.waits = p.err == nil
	return !p.waits
}

func (p *pipe) readNow() {
	for {
		if p.n, p.err = unix.Read(p.fd, p.buf); p.err != unix.EINTR {
			return
		}
	}
}

// SetReadDeadline is that of [os.File].
func (p *pipe) SetReadDeadline(t time.Time) error { return p.waiter.SetReadDeadline(t) }

// Close closes the pipe. It must not be called during a Read.
func (p *pipe) Close() error { return errors.Join(p.waiter.Close(), unix.Close(p.fd)) }
