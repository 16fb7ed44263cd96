package stdio

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// Indexes of the fields of /proc/PID/stat that follow the name of the program, see proc_pid_stat(5), and the unit
// of its times.
const (
	statUser       = 11 // followed by the time in the kernel, and by both for the children that have ended
	statResident   = 21 // field with the resident size, in pages
	ticksPerSecond = 100
)

// CostOf returns the resources that a process and its descendants have used. ok is false if the system does not
// show them.
func CostOf(pid int) (cost Cost, ok bool) {
	if pid <= 0 { // without a process: all processes descend from 0
		return cost, false
	}
	children := map[int][]int{}
	for _, e := range processes() {
		children[e.parent] = append(children[e.parent], e.pid)
	}
	buf := make([]byte, 1024)
	for queue := []int{pid}; len(queue) > 0; queue = queue[1:] {
		queue = append(queue, children[queue[0]]...)
		c, found := costOf(contents("/proc/"+strconv.Itoa(queue[0])+"/stat", buf))
		if !found {
			continue
		}
		ok = true
		cost.CPU += c.CPU
		cost.Memory += c.Memory
	}
	return cost, ok
}

// costOf returns the cost of one process from its stat file.
func costOf(stat []byte) (cost Cost, ok bool) {
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= statResident {
		return cost, false
	}
	for _, field := range fields[statUser : statUser+4] {
		n, _ := strconv.ParseInt(field, 10, 64) // the kernel writes numbers
		cost.CPU += time.Duration(n) * time.Second / ticksPerSecond
	}
	pages, _ := strconv.ParseInt(fields[statResident], 10, 64)
	cost.Memory = pages * int64(os.Getpagesize())
	return cost, true
}

// FreeMemory returns the memory that new processes may use, in bytes, on the machine or in its container. It
// returns 0 if the system does not show it.
func FreeMemory() (free int64) {
	buf := make([]byte, 1024) // the line is the third one
	for line := range strings.Lines(string(contents("/proc/meminfo", buf))) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "MemAvailable:" {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			free = n << 10
		}
	}
	most, limited := number("/sys/fs/cgroup/memory.max", buf)
	if now, ok := number("/sys/fs/cgroup/memory.current", buf); limited && ok {
		free = min(free, max(most-now, 0))
	}
	return free
}

// number returns the number in a file. ok is false for another text, such as "max".
func number(file string, buf []byte) (n int64, ok bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(string(contents(file, buf))), 10, 64)
	return n, err == nil
}
