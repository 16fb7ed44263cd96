package system

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// errNotRegular is the error for a device, a pipe or a socket.
var errNotRegular = errors.New("not a regular file")

// OpenRegular opens a regular file, possibly by way of a symbolic link, for reading. It never waits: a
// device, a pipe, a socket or a directory is an error. Use it for each path that is not the user's own
// word: a clone of a repository may contain a link to /dev/zero, or a pipe.
func OpenRegular(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = syscall.EISDIR
	case !info.Mode().IsRegular():
		err = errNotRegular
	default:
		return f, info, nil
	}
	_ = f.Close() // the file was opened only for reading
	return nil, nil, err
}

// ReadRegular reads a regular file of at most limit bytes, as [OpenRegular] opens it. A larger file is an
// error, even if it grows while it is read. The mode is the mode of the file.
func ReadRegular(path string, limit int64) ([]byte, fs.FileMode, error) {
	f, info, err := OpenRegular(path)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }()
	if info.Size() > limit {
		return nil, 0, fmt.Errorf("the file has %d bytes, more than the maximum of %d", info.Size(), limit)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("the file has more than %d bytes", limit)
	}
	return data, info.Mode(), err
}

// byteOrderMark is the mark that editors on Windows write at the start of a UTF-8 text.
var byteOrderMark = []byte("\ufeff")

// WithoutMark returns a text without the byte order mark at its start.
func WithoutMark(text []byte) []byte { return bytes.TrimPrefix(text, byteOrderMark) }

// ReadText is like [ReadRegular], but returns the text without a byte order mark. Use it for files that the user edits.
func ReadText(path string, limit int64) ([]byte, error) {
	data, _, err := ReadRegular(path, limit)
	return WithoutMark(data), err
}

// ReadHead returns the first bytes of a regular file, at most limit, or nil if it cannot be read.
func ReadHead(path string, limit int64) []byte {
	f, _, err := OpenRegular(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	head, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil
	}
	return head
}
