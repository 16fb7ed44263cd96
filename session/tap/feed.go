package tap

import (
	"bufio"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"iter"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
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
		return &lateReader{src: r, open: newInflater}
	case "br":
		return &lateReader{src: r, open: func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }}
	case "zstd":
		return &lateReader{src: r, open: newZstandardReader}
	}
	return nil
}

// maxWindow is how much memory a decoder of Zstandard takes (RFC 9659 §3).
const maxWindow = 8 << 20

func newZstandardReader(r io.Reader) (io.Reader, error) {
	// It reads in the goroutine of its caller then.
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
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

// newInflater reads the content coding "deflate": the zlib format (RFC 9110 §8.4.1.2),
// or, as some servers send it, the deflate data alone.
func newInflater(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(2)
	if err == nil && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(b)
	}
	return flate.NewReader(b), nil
}
