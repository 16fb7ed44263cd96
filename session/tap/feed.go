package tap

import (
	"cmp"
	"compress/flate"
	"compress/gzip"
	"io"
	"iter"
	"time"
)

// feed calls a function that reads a stream, with the bytes as they are written to the
// feed. Both run in the same goroutine, in turns.
type feed struct {
	rest []byte
	at   time.Time // of the newest bytes
	over bool
	next func() (struct{}, bool)
	stop func()
}

func newFeed(read func(io.Reader)) *feed {
	f := &feed{}
	f.next, f.stop = iter.Pull(func(yield func(struct{}) bool) {
		read(readerFunc(func(p []byte) (int, error) {
			for len(f.rest) == 0 {
				if f.over || !yield(struct{}{}) {
					return 0, io.EOF
				}
			}
			n := copy(p, f.rest)
			f.rest = f.rest[n:]
			return n, nil
		}))
	})
	return f
}

// write has the function read the bytes. It ignores them once the function has
// returned.
func (f *feed) write(at time.Time, b []byte) {
	f.rest, f.at = b, at
	f.next()
	f.rest = nil
}

// end has the function read the end of the stream.
func (f *feed) end(at time.Time) {
	f.over, f.at = true, cmp.Or(f.at, at)
	f.next()
	f.stop()
}

type readerFunc func(p []byte) (int, error)

func (r readerFunc) Read(p []byte) (int, error) { return r(p) }

// decode returns the content of a body with an encoding; nil if that is not supported.
func decode(encoding string, r io.Reader) io.Reader {
	switch encoding {
	case "", "identity":
		return r
	case "gzip", "x-gzip":
		return &lateReader{src: r, open: func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }}
	case "deflate":
		return &lateReader{src: r, open: func(r io.Reader) (io.Reader, error) { return flate.NewReader(r), nil }}
	}
	return nil
}

// lateReader opens a reader when it is read.
type lateReader struct {
	src  io.Reader
	open func(io.Reader) (io.Reader, error)
	r    io.Reader
}

func (l *lateReader) Read(p []byte) (n int, err error) {
	if l.r == nil {
		if l.r, err = l.open(l.src); err != nil {
			return 0, err
		}
	}
	return l.r.Read(p)
}
