package watch

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"

	"mcptea/internal/system"
)

// content identifies the content of a file, for comparisons. The zero value is the content of a path that does not exist.
type content struct {
	form form
	size int64
	sum  [sha256.Size]byte // digest of the first maxContent bytes
}

type form uint8

const (
	gone   form = iota
	text        // text that a user can type
	binary      // detected as in git
	other       // a directory, or what cannot be read
)

const (
	// maxContent bounds the part of a file that is compared, in bytes.
	maxContent = 64 << 20
	// textStart is the length of the start of a file that has a NUL byte if the file is not text, in bytes.
	textStart = 8000
)

func (c content) isText() bool { return c.form <= text }
func (c content) isGone() bool { return c.form == gone }

// contentOf reads a path.
func contentOf(path string) content {
	f, info, err := system.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return content{}
		}
	}
	if err != nil {
		return content{form: other}
	}
	defer func() { _ = f.Close() }()
	c := content{form: text, size: info.Size()}
	start, err := io.ReadAll(io.LimitReader(f, textStart))
	if bytes.IndexByte(start, 0) >= 0 {
		c.form = binary
	}
	sum := sha256.New()
	_, _ = sum.Write(start)
	if err == nil {
		_, err = io.Copy(sum, io.LimitReader(f, maxContent-textStart))
	}
	if err != nil {
		return content{form: other}
	}
	sum.Sum(c.sum[:0])
	return c
}
