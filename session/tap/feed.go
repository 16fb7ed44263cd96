package tap

import (
	"bufio"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// A feed passes the bytes that are written to it to a function that reads a stream. Both run in
// the same goroutine, in turns.
type feed struct {
	rest []byte
	at   time.Time // time of the newest bytes
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

// write passes the bytes to the function. It ignores them once the function has returned.
func (f *feed) write(at time.Time, b []byte) {
	f.rest, f.at = b, at
	f.next()
	f.rest = nil
}

// end passes the end of the stream to the function.
func (f *feed) end(at time.Time) {
	f.over, f.at = true, cmp.Or(f.at, at)
	f.next()
	f.stop()
}

type readerFunc func(p []byte) (int, error)

func (r readerFunc) Read(p []byte) (int, error) { return r(p) }

// decoders maps a content encoding to a decoder. The decoder reads in the goroutine of its caller.
var decoders = map[string]func(io.Reader) (io.Reader, error){
	"":         func(r io.Reader) (io.Reader, error) { return r, nil },
	"identity": func(r io.Reader) (io.Reader, error) { return r, nil },
	"gzip":     func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"x-gzip":   func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"deflate":  newInflater,
	"br":       func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
	"zstd": func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	},
}

// maxWindow bounds the memory of a Zstandard decoder, in bytes (RFC 9659 §3).
const maxWindow = 8 << 20

// decode returns the content of an encoded body. The content is empty if the encoding is not
// supported, or if the body does not have that encoding.
func decode(encoding string, r io.Reader) io.Reader {
	if open := decoders[encoding]; open != nil {
		if content, err := open(r); err == nil {
			return content
		}
	}
	return strings.NewReader("")
}

// newInflater reads the content coding "deflate". That is the zlib format (RFC 9110 §8.4.1.2). Some
// servers send the deflate data without it, which newInflater accepts.
func newInflater(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(2)
	if err == nil && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(b)
	}
	return flate.NewReader(b), nil
}
