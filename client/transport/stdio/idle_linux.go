package stdio

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// activity returns how long the threads of a process group have run, in nanoseconds, as counted by
// the scheduler. busy reports whether one of them runs, waits for a disk, or has ended and is a
// zombie. ok is false if the kernel does not count the time.
func activity(pgid int) (ran uint64, busy, ok bool) {
	buf := make([]byte, 1024)
	for _, process := range names("/proc") {
		pid, err := strconv.Atoi(process)
		if err != nil {
			continue
		}
		if of, err := syscall.Getpgid(pid); err != nil || of != pgid {
			continue
		}
		tasks := "/proc/" + process + "/task"
		for _, thread := range names(tasks) { // empty if the process has ended
			n, running, known := threadActivity(tasks+"/"+thread, buf)
			if !known {
				return 0, false, false
			}
			ran, busy, ok = ran+n, busy || running, true
		}
	}
	return ran, busy, ok
}

// threadActivity is like activity, for the /proc directory of one thread. A thread that has ended does not
// count.
func threadActivity(dir string, buf []byte) (ran uint64, busy, known bool) {
	stat := contents(dir+"/stat", buf)
	i := bytes.LastIndexByte(stat, ')')
	if i < 0 || len(stat) <= i+2 {
		return 0, true, len(stat) == 0 // the number of threads changes
	}
	state := stat[i+2]
	first, _, _ := bytes.Cut(contents(dir+"/schedstat", buf), []byte(" "))
	if len(first) == 0 {
		return 0, false, !exists(dir)
	}
	ran, err := strconv.ParseUint(string(first), 10, 64)
	if err != nil || ran == 0 {
		return 0, false, false // the kernel does not count the time: a visible thread has already run
	}
	return ran, strings.IndexByte("RDZX", state) >= 0, true
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
