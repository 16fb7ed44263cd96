package system

import (
	"errors"
	"runtime"
	"strings"
	"syscall"
)

// winerrors maps the numbers of winerror.h to POSIX errors.
var winerrors = map[syscall.Errno]syscall.Errno{
	4:     syscall.EMFILE,       // ERROR_TOO_MANY_OPEN_FILES
	109:   syscall.EPIPE,        // ERROR_BROKEN_PIPE
	112:   syscall.ENOSPC,       // ERROR_DISK_FULL
	193:   syscall.ENOEXEC,      // ERROR_BAD_EXE_FORMAT
	232:   syscall.EPIPE,        // ERROR_NO_DATA: the reader closed the pipe
	267:   syscall.ENOTDIR,      // ERROR_DIRECTORY
	10024: syscall.EMFILE,       // WSAEMFILE
	10051: syscall.ENETUNREACH,  // WSAENETUNREACH
	10053: syscall.ECONNRESET,   // WSAECONNABORTED: a write after a reset by the peer returns it
	10054: syscall.ECONNRESET,   // WSAECONNRESET
	10060: syscall.ETIMEDOUT,    // WSAETIMEDOUT
	10061: syscall.ECONNREFUSED, // WSAECONNREFUSED
	10065: syscall.EHOSTUNREACH, // WSAEHOSTUNREACH
}

// IsErrno reports whether the tree of err contains the error with a POSIX name, such as [syscall.ECONNREFUSED].
func IsErrno(err error, name syscall.Errno) bool {
	return errors.Is(err, name) || runtime.GOOS == "windows" && isWindows(err, name)
}

// NamedErrno returns a Windows error with the text of the corresponding Unix error, such as "connection
// refused". It returns other errors unchanged.
func NamedErrno(err error) error {
	if runtime.GOOS != "windows" {
		return err
	}
	return named(err)
}

func named(err error) error {
	number, ok := errors.AsType[syscall.Errno](err)
	name, known := winerrors[number]
	if !ok || !known {
		return err
	}
	return &namedError{strings.Replace(err.Error(), number.Error(), name.Error(), 1), err}
}

type namedError struct {
	text  string
	cause error
}

func (e *namedError) Error() string { return e.text }
func (e *namedError) Unwrap() error { return e.cause }

func isWindows(err error, name syscall.Errno) bool {
	number, ok := errors.AsType[syscall.Errno](err)
	return ok && winerrors[number] == name && name != 0
}
