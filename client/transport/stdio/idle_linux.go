package stdio

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// activity is the time that the threads of a process group have run so far, in
// nanoseconds, as the scheduler counts it. busy reports that one of them runs, waits for
// a disk, or has ended and is not yet waited for. ok is false where the kernel does not
// count it.
func activity(pgid int) (ran uint64, busy, ok bool) {
	all, listed := processes()
	if !listed {
		return 0, false, false
	}
	for _, e := range all {
		if e.group != pgid {
			continue
		}
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", e.pid))
		if err != nil {
			return 0, false, false
		}
		for _, thread := range threads {
			n, running, known := threadActivity(thread)
			if !known {
				return 0, false, false
			}
			ran, busy, ok = ran+n, busy || running, true
		}
	}
	return ran, busy, ok
}

// threadActivity is activity for a directory of /proc of one thread; one that has ended
// counts for nothing.
func threadActivity(dir string) (ran uint64, busy, known bool) {
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return 0, true, true // the number of threads changes
	}
	counted, err := os.ReadFile(dir + "/schedstat")
	if err != nil {
		return 0, false, os.IsNotExist(err) && !exists(dir)
	}
	first, _, _ := bytes.Cut(counted, []byte(" "))
	ran, err = strconv.ParseUint(string(first), 10, 64)
	i := bytes.LastIndexByte(stat, ')')
	if err != nil || i < 0 || len(stat) <= i+2 || ran == 0 {
		return 0, false, false // not counted: a thread has run before it is seen
	}
	state := stat[i+2]
	return ran, strings.IndexByte("RDZX", state) >= 0, true
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
