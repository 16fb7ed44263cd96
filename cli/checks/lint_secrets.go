package checks

import (
	"bufio"
	"bytes"
	"errors"

	"mcptea/client/secret"
	"mcptea/internal/system"
)

// maxLearnedLine bounds the part of a line that is searched for secrets, in bytes.
const maxLearnedLine = 4 << 20

// learnSecrets adds the values that the frames of a file name as secrets, so that excerpts do not show them elsewhere,
// before they are named, too. What is no regular file can be read only once, and is left out.
func learnSecrets(path string, known *secret.Values) {
	f, _, err := system.OpenRegular(path)
	if err != nil {
		return // it is reported when the file is linted
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewReaderSize(f, maxLearnedLine)
	for {
		line, err := lines.ReadSlice('\n')
		if at := bytes.IndexByte(line, '{'); at >= 0 {
			secret.JSON(bytes.TrimSpace(line[at:]), known, nil)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}
