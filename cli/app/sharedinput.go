package app

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"mcptea/internal/system"
)

// TooLargeError reports an input with more bytes than allowed.
type TooLargeError struct {
	Name  string // path, or "stdin"
	Limit int64  // bytes
}

// Error names the input and the limit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s is larger than %d MB, the maximum", e.Name, e.Limit>>20)
}

// TypeError reports a path that is neither a regular file nor a pipe.
type TypeError struct {
	Name string
	Mode fs.FileMode
}

// Error names the path and the type of the file.
func (e *TypeError) Error() string {
	kind := "neither a regular file nor a pipe"
	switch {
	case e.Mode.IsDir():
		kind = "a directory, not a file"
	case e.Mode&fs.ModeDevice != 0:
		kind = "a device, not a regular file or a pipe"
	case e.Mode&fs.ModeSocket != 0:
		kind = "a socket, not a regular file or a pipe"
	}
	return e.Name + " is " + kind
}

// ReadFile returns the contents of a regular file or a pipe (including a named one, and /dev/fd/N of a shell's
// process substitution), up to limit bytes. It returns the cause of the context if that ends first, for example
// while no process writes to the pipe. It waits at most 5 s for a writer. Errors are a *TooLargeError, a
// *TypeError or a *fs.PathError.
func ReadFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	return readFile(ctx, path, limit, writerTimeout)
}

// ReadText is like [ReadFile], but returns the text without a byte order mark. Use it for all files but those whose bytes
// are sent unchanged.
func ReadText(ctx context.Context, path string, limit int64) ([]byte, error) {
	text, err := ReadFile(ctx, path, limit)
	return system.WithoutMark(text), err
}

// writerTimeout bounds the wait for a writer of a named pipe. Without a limit, the program would wait silently.
const writerTimeout = 5 * time.Second

func readFile(ctx context.Context, path string, limit int64, timeout time.Duration) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if mode := info.Mode(); !mode.IsRegular() && mode&fs.ModeNamedPipe == 0 {
		return nil, &TypeError{path, mode}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	late := time.AfterFunc(timeout, func() {
		stop(&fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it is a pipe, and no process writes to it within %v", timeout)})
	})
	defer late.Stop()
	return Await(ctx, func() ([]byte, error) {
		f, err := os.Open(path) // blocks until a named pipe has a writer
		late.Stop()
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		return readAll(f, path, limit)
	})
}

// MaxStdin bounds the bytes read from stdin: arguments, results, frames.
const MaxStdin = 64 << 20

// ReadStdin returns everything up to the end of stdin, at most [MaxStdin]. It returns the cause of the
// context when that ends first; the read then continues in the background until r ends.
func ReadStdin(ctx context.Context, stdin io.Reader) ([]byte, error) {
	return Await(ctx, func() ([]byte, error) { return readAll(stdin, "stdin", MaxStdin) })
}

func readAll(r io.Reader, name string, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		return nil, &TooLargeError{name, limit}
	}
	return b, err
}

// Await runs read until it returns or the context ends. A blocked read(2) or
// open(2) cannot be interrupted; its goroutine ends with the program.
func Await(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		b   []byte
		err error
	}
	done := make(chan result, 1)
	go func() {
		b, err := read()
		done <- result{b, err}
	}()
	select {
	case r := <-done:
		return r.b, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
