package record

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// A long line takes the memory that it has, and little beside it.
func TestLines_LongLineMemory(t *testing.T) {
	const size = 80 << 20
	text := append(bytes.Repeat([]byte("x"), size), '\n')
	l := NewLines(t.Context(), bytes.NewReader(text))
	defer l.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	line, err := l.Next()
	runtime.ReadMemStats(&after)
	if err != nil || len(line) != size+1 {
		t.Fatalf("%d bytes, %v", len(line), err)
	}
	// The memory of the largest line, which takes no pages where it is not written to, and a quarter of it.
	if took := after.TotalAlloc - before.TotalAlloc; took > maxLine+2*largeLine {
		t.Errorf("%d MB are allocated for a line of %d MB", took>>20, size>>20)
	}
}

// A first line of many megabytes is not a header, whatever it contains.
// The header of a recording that an editor has saved may have a byte order mark.
func TestParseHeader_ByteOrderMark(t *testing.T) {
	if h, err := ParseHeader([]byte("\ufeff{\"mcptea\":2,\"t\":1,\"tool\":\"mcptea 1\"}\r\n")); err != nil || h.Version != 2 || h.Tool != "mcptea 1" {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestParseHeader_Bound(t *testing.T) {
	for over, want := range []error{nil, ErrNotARecording} {
		const around = `{"mcptea":2,"t":1,"tool":""}`
		line := fmt.Sprintf(`{"mcptea":2,"t":1,"tool":"%s"}`, strings.Repeat("x", 1<<20-len(around)+over))
		if _, err := ParseHeader([]byte(line)); !errors.Is(err, want) {
			t.Errorf("%d bytes: %v", len(line), err)
		}
	}
}
