package stdio

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// processes returns the processes of the system, from /proc, or nil if it cannot be read.
func processes() (all []entry) {
	buf := make([]byte, 1024)
	for _, name := range names("/proc") {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		if e, ok := listed(name, buf); ok {
			all = append(all, e)
		}
	}
	return all
}

// names returns the names in a directory, or nil if it cannot be read.
func names(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	all, err := f.Readdirnames(-1)
	if err != nil {
		return nil
	}
	return all
}

// The fields of /proc/PID/stat after the name, see proc_pid_stat(5).
const (
	statState = iota
	statParent
	statGroup
	statSession
	statStart = 19
)

// listed reads the entry of a process; ok is false if it has ended.
func listed(pid string, buf []byte) (e entry, ok bool) {
	// PID (NAME) STATE …; the name may contain any byte.
	stat := contents("/proc/"+pid+"/stat", buf)
	i := bytes.LastIndexByte(stat, ')')
	if i < 0 {
		return e, false
	}
	var fields [statStart + 1][]byte
	n := 0
	for field := range bytes.FieldsSeq(stat[i+1:]) {
		fields[n] = field
		if n++; n == len(fields) {
			break
		}
	}
	if n < len(fields) {
		return e, false
	}
	number := func(field []byte) int {
		v, _ := strconv.Atoi(string(field)) // the kernel writes numbers
		return v
	}
	start, _ := strconv.ParseUint(string(fields[statStart]), 10, 64)
	e.pid, _ = strconv.Atoi(pid)
	e.parent, e.group, e.session = number(fields[statParent]), number(fields[statGroup]), number(fields[statSession])
	e.start = ticks(start)
	e.ended = fields[statState][0] == 'Z' || fields[statState][0] == 'X'
	return e, e.pid > 0
}

// maxArguments bounds the part of a command line that is read, in bytes.
const maxArguments = 4096

// arguments returns the words of the command line of a process, or its name in brackets.
func arguments(pid int) []string {
	buf := make([]byte, maxArguments)
	line := bytes.TrimRight(contents("/proc/"+strconv.Itoa(pid)+"/cmdline", buf), "\x00")
	if len(line) > 0 {
		return strings.Split(string(line), "\x00")
	}
	name := contents("/proc/"+strconv.Itoa(pid)+"/comm", buf)
	return []string{"[" + string(bytes.TrimSpace(name)) + "]"}
}

// maxEnvironment bounds the part of an environment that is searched, in bytes.
const maxEnvironment = 256 << 10

// hasMark reports whether a process was started with an environment that has a variable
// with a value.
func hasMark(pid int, mark string) bool {
	if mark == "" {
		return false
	}
	path := "/proc/" + strconv.Itoa(pid) + "/environ"
	for size := 8 << 10; ; size *= 4 { // most are small
		all := contents(path, make([]byte, min(size, maxEnvironment)))
		if len(all) < size || size >= maxEnvironment {
			return bytes.HasPrefix(all, []byte(mark+"\x00")) || bytes.Contains(all, []byte("\x00"+mark+"\x00"))
		}
	}
}

// contents returns the beginning of a file in buf, empty if it cannot be read. It asks the system itself: a server
// that ends is looked for among all processes, some hundred files each time, and an [os.File] costs twice as much.
func contents(path string, buf []byte) []byte {
	fd, err := again(func() (int, error) { return syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return nil
	}
	defer func() { _ = syscall.Close(fd) }()
	total := 0
	for total < len(buf) {
		n, err := again(func() (int, error) { return syscall.Read(fd, buf[total:]) })
		if err != nil || n <= 0 {
			break
		}
		total += n
	}
	return buf[:total]
}

// again repeats a call that a signal has interrupted.
func again(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
