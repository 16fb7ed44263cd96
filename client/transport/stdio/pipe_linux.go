package stdio

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pipeSize is the size of the pipe: how much the server can write before mcptea reads it. It is the maximum
// that a user may request.
const pipeSize = 1 << 20

// pipe is the end of a pipe that is read. The poller of the runtime does not know it while a
// read lingers: it would be woken by every write of a fast server, and so take a processor from
// it.
type pipe struct {
	fd, epoll int
	// waiter is an epoll instance that is ready when the pipe is, unless a read lingers.
	waiter  *os.File
	conn    syscall.RawConn
	watched bool               // the waiter has the pipe
	lingers bool               // see linger
	try     func(uintptr) bool // tryRead, made once
	buf     []byte
	n       int
	err     error
}

// newPipe creates a pipe, and returns our end and the end of the child.
func newPipe() (source, *os.File, error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	_, _ = unix.FcntlInt(uintptr(fds[0]), unix.F_SETPIPE_SZ, pipeSize) // the kernel limits the pipes of a user who has many
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
	_ = unix.SetNonblock(epoll, true) // if this fails, the poller does not accept it, and setting a deadline reports that
	p.epoll, p.waiter = epoll, os.NewFile(uintptr(epoll), "|0")
	p.try = p.tryRead
	if p.conn, err = p.waiter.SyscallConn(); err != nil {
		return errors.Join(err, p.waiter.Close())
	}
	return nil
}

// How often, and at which interval, a fast server is checked for output before a read waits. Waking
// for each line costs more than handling it, on both sides.
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

// tryRead reads, and reports false if it must wait.
func (p *pipe) tryRead(uintptr) bool {
	p.readNow()
	for n := 0; p.err == unix.EAGAIN && p.lingers; n++ {
		_ = p.watch(false)
		time.Sleep(lingerInterval)
		p.readNow()
		p.lingers = n < lingering
	}
	if p.err != unix.EAGAIN {
		return true
	}
	if p.watched {
		return false
	}
	p.err = p.watch(true)
	return p.err != nil
}

// watch enables or disables the waiter for the pipe.
func (p *pipe) watch(on bool) error {
	if p.watched == on {
		return nil
	}
	change := unix.EPOLL_CTL_DEL
	if p.watched = on; on {
		change = unix.EPOLL_CTL_ADD
	}
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(p.epoll, change, p.fd, &unix.EpollEvent{Events: unix.EPOLLIN}))
}

func (p *pipe) readNow() {
	for {
		if p.n, p.err = unix.Read(p.fd, p.buf); p.err != unix.EINTR {
			return
		}
	}
}

// SetReadDeadline is like the method of [os.File].
func (p *pipe) SetReadDeadline(t time.Time) error { return p.waiter.SetReadDeadline(t) }

// Close closes the pipe. It must not be called during a Read.
func (p *pipe) Close() error { return errors.Join(p.waiter.Close(), unix.Close(p.fd)) }
