package stdio

import (
	"crypto/rand"
	"os"

	"golang.org/x/sys/windows"
)

// pipe is the end of a pipe that is read.
type pipe struct{ *os.File }

func (pipe) linger(bool) {}

// pipeSize is the size of the system's buffer for unread output, in bytes.
const pipeSize = 64 << 10

// newPipe creates a pipe and returns our end and the child's end. On Windows, a pipe of [os.Pipe] has no
// deadlines, so that a read lasts until the child writes or ends. A named pipe that is opened for overlapped
// I/O has them. Its name is random, and it has one instance: only the child can write to it.
func newPipe() (ours source, theirs *os.File, err error) {
	name := `\\.\pipe\mcptea-` + rand.Text()
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, nil, err
	}
	const access = windows.PIPE_ACCESS_INBOUND | windows.FILE_FLAG_OVERLAPPED | windows.FILE_FLAG_FIRST_PIPE_INSTANCE
	read, err := windows.CreateNamedPipe(path, access, windows.PIPE_TYPE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, 1, pipeSize, pipeSize, 0, nil)
	if err != nil {
		return nil, nil, os.NewSyscallError("CreateNamedPipe", err)
	}
	write, err := windows.CreateFile(path, windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		_ = windows.CloseHandle(read)
		return nil, nil, os.NewSyscallError("CreateFile", err)
	}
	return pipe{os.NewFile(uintptr(read), name)}, os.NewFile(uintptr(write), name), nil
}
