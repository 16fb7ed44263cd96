package stdio

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// processes lists those of the system, from /proc.
func processes() (all []entry, ok bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, false
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, false
	}
	buf := make([]byte, 1024)
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		if e, ok := listed(name, buf); ok {
			all = append(all, e)
		}
	}
	return all, len(all) > 0
}

// The fields of /proc/PID/stat behind the name, see proc_pid_stat(5).
const (
	statState = iota
	statParent
	statGroup
	statSession
	statStart = 19
)

// listed reads the entry of a process; ok is false if it has ended.
func listed(pid string, buf []byte) (e entry, ok bool) {
	f, err := os.Open("/proc/" + pid + "/stat")
	if err != nil {
		return e, false
	}
	defer func() { _ = f.Close() }()
	n, err := f.Read(buf)
	// PID (NAME) STATE …; the name may contain any byte.
	i := bytes.LastIndexByte(buf[:n], ')')
	if err != nil || i < 0 {
		return e, false
	}
	fields := bytes.Fields(buf[i+1 : n])
	if len(fields) <= statStart {
		return e, false
	}
	number := func(b []byte) int {
		v, _ := strconv.Atoi(string(b)) // the kernel writes numbers
		return v
	}
	start, _ := strconv.ParseUint(string(fields[statStart]), 10, 64)
	e.pid, _ = strconv.Atoi(pid)
	e.parent, e.group, e.session = number(fields[statParent]), number(fields[statGroup]), number(fields[statSession])
	e.start = ticks(start)
	e.ended = fields[statState][0] == 'Z' || fields[statState][0] == 'X'
	return e, e.pid > 0
}

// maxArguments is how much of a command line is read, in bytes.
const maxArguments = 4096

// arguments are the words of the command line of a process, or its name in brackets.
func arguments(pid int) []string {
	line := beginning(fmt.Sprintf("/proc/%d/cmdline", pid), maxArguments)
	if line = strings.TrimRight(line, "\x00"); line != "" {
		return strings.Split(line, "\x00")
	}
	name := beginning(fmt.Sprintf("/proc/%d/comm", pid), 64)
	return []string{"[" + strings.TrimSpace(name) + "]"}
}

// maxEnvironment is how much of an environment is searched, in bytes.
const maxEnvironment = 256 << 10

// hasMark reports whether a process was started with an environment that has a variable
// with a value.
func hasMark(pid int, mark string) bool {
	if mark == "" {
		return false
	}
	return strings.Contains("\x00"+beginning(fmt.Sprintf("/proc/%d/environ", pid), maxEnvironment), "\x00"+mark+"\x00")
}

// beginning is at most n bytes of a file, empty if it cannot be read.
func beginning(path string, n int) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	b := make([]byte, n)
	total := 0
	for total < n {
		k, err := f.Read(b[total:])
		if total += k; err != nil {
			break
		}
	}
	return string(b[:total])
}
