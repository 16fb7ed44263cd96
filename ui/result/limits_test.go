package result

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// pngHead is the begin of a picture that says its size and has no pixels.
func pngHead(width, height uint32) []byte {
	chunk := append([]byte("IHDR"), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)...)
	chunk = append(chunk, 8, 2, 0, 0, 0)
	var b bytes.Buffer
	b.WriteString("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d")
	b.Write(chunk)
	b.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk)))
	return b.Bytes()
}

// A picture that says that it has more pixels than are decoded is only measured.
func TestNewImage_MaxPixels(t *testing.T) {
	for _, tc := range []struct {
		width, height uint32
		decoded       bool
	}{
		{4096, 4096, true},
		{1 << 24, 1, true},
		{1, 1 << 24, true},
		{4096, 4097, false},
		{1<<24 + 1, 1, false},
		{1 << 30, 1 << 30, false},
		{0, 10, false},
	} {
		p := newImage(pngHead(tc.width, tc.height))
		if got := p != nil; got != tc.decoded {
			t.Errorf("%d×%d pixels are decoded: %t", tc.width, tc.height, got)
		}
	}
}
