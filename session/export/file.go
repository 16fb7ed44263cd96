package export

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"

	"mcptea/record"
)

// FromFile returns the session of a recording. The file is read again for each sequence of its events, so
// it must be a regular file. It may grow. The error comes from the file, or is [record.ErrNotARecording].
func FromFile(ctx context.Context, path string) (Source, error) {
	var src Source
	err := readFile(ctx, path, func(r *record.Reader) { src.Header = r.Header })
	src.ahead = func(look func(*record.Event) uint64) iter.Seq2[*record.Event, error] {
		return func(yield func(*record.Event, error) bool) {
			stopped := false
			err := readFile(ctx, path, func(r *record.Reader) {
				r.Lines.Ahead = look
				for e, err := range r.Events() {
					if stopped = !yield(e, err); stopped {
						return
					}
				}
				stopped = true
			})
			if err != nil && !stopped {
				yield(nil, err)
			}
		}
	}
	src.Events = src.ahead(nil)
	return src, err
}

func readFile(ctx context.Context, path string, use func(*record.Reader)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lines := record.NewLines(ctx, f)
	defer lines.Close()
	first, err := lines.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	r, err := record.NewReader(first, lines)
	if err != nil {
		return err
	}
	use(r)
	return nil
}
