package stdio

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lookAtStdin compares the stdin of the processes with our end of the pipe: both ends of a pipe have the same inode.
func (t *Transport) lookAtStdin(pid int) (s Stdin, ok bool) {
	ours, unread, ok := pipeOf(t.stdin)
	if !ok {
		return Stdin{}, false
	}
	s.Unread = unread
	all := append(t.family.listLiving(&t.group, pid), entry{pid: pid})
	slices.SortFunc(all, func(a, b entry) int { return int(min(max(int64(a.start)-int64(b.start), -1), 1)) })
	booted := bootTime()
	for _, e := range all[:min(len(all), maxReaders)] {
		if len(s.Connecting) == 0 {
			s.Connecting = connecting(e.pid)
		}
		stdin, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", e.pid))
		if err != nil {
			continue // the process has no stdin, or has ended
		}
		r := Reader{e.pid, filepath.Base(arguments(e.pid)[0]), stdin, booted.Add(time.Duration(e.start) * tick), t.isNew(e)}
		switch {
		case stdin != ours:
			s.Other = append(s.Other, r)
		case e.pid != pid:
			s.Shared = append(s.Shared, r)
		}
	}
	return s, true
}

// pipeOf returns the name of a pipe in /proc, and how many bytes wait in it.
func pipeOf(end *os.File) (name string, unread int, ok bool) {
	conn, err := end.SyscallConn()
	if err != nil {
		return "", 0, false
	}
	failed := conn.Control(func(fd uintptr) {
		var stat syscall.Stat_t
		if err = syscall.Fstat(int(fd), &stat); err != nil {
			return
		}
		name = fmt.Sprintf("pipe:[%d]", stat.Ino)
		unread, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ)
	})
	return name, unread, failed == nil && err == nil
}

// tick is the unit of the start time of a process in Linux: USER_HZ is 100 on each architecture that Go
// supports.
const tick = 10 * time.Millisecond

// bootTime returns the time at which the system was started, by the current clock.
func bootTime() time.Time {
	up, _, _ := bytes.Cut(contents("/proc/uptime", make([]byte, 64)), []byte(" "))
	seconds, err := strconv.ParseFloat(string(up), 64)
	if err != nil {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration(seconds * float64(time.Second)))
}
