package store

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
)

var errBroken = errors.New("no space left on device")

// withoutTempDir returns a spill whose temporary directory cannot be written.
func withoutTempDir(limit int64) *spill {
	s := newSpill(limit)
	s.create = func() (*os.File, error) { return nil, errBroken }
	return s
}

func TestSpill_FileOrMemory(t *testing.T) {
	for _, s := range []*spill{newSpill(0), withoutTempDir(0)} {
		var want []byte
		for i := range 100 {
			p := bytes.Repeat([]byte{byte(i)}, 10)
			at, err := s.add(p)
			if err != nil || at != int64(len(want)) {
				t.Fatalf("in memory %t: added at %d, %v", s.isMemory, at, err)
			}
			want = append(want, p...)
		}
		got := make([]byte, len(want))
		if _, err := s.ReadAt(got, 0); err != nil || !bytes.Equal(got, want) {
			t.Errorf("in memory %t: other bytes come back: %v", s.isMemory, err)
		}
		if err := s.writeAt([]byte("changed"), 40); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ReadAt(got[:7], 40); err != nil || string(got[:7]) != "changed" {
			t.Errorf("in memory %t: %q, %v", s.isMemory, got[:7], err)
		}
		if (s.file() == nil) != s.isMemory {
			t.Errorf("in memory %t with the file %v", s.isMemory, s.file())
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
}

// What does not fit any more is an error, and what was added can be read.
func TestSpill_FullDisk(t *testing.T) {
	s := newSpill(0)
	s.backing, s.size = fullBacking{}, 10
	if _, err := s.add([]byte("x")); !errors.Is(err, errBroken) || s.size != 10 {
		t.Errorf("%d bytes, %v", s.size, err)
	}
	if _, err := s.ReadAt(make([]byte, 10), 0); err != nil {
		t.Error(err)
	}
	if _, err := s.ReadAt(make([]byte, 2), 9); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// fullBacking has no room.
type fullBacking struct{}

func (fullBacking) WriteAt([]byte, int64) (int, error)          { return 0, errBroken }
func (fullBacking) ReadAt(p []byte, _ int64) (n int, err error) { return len(p), nil }
func (fullBacking) Close() error                                { return nil }

func TestSpill_MemoryHasALimit(t *testing.T) {
	s := withoutTempDir(100)
	n := 0
	for ; n < 1000; n++ {
		if _, err := s.add(make([]byte, 10)); err != nil {
			if !errors.Is(err, errSpillFull) {
				t.Fatal(err)
			}
			break
		}
	}
	if n != 10 {
		t.Errorf("%d pieces fit, want 10", n)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

func TestHeap_ReadsWhatWasWritten(t *testing.T) {
	h := &heap{}
	p := bytes.Repeat([]byte("0123456789"), heapChunk/4)
	if _, err := h.WriteAt(p, 0); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(p)-7)
	if _, err := h.ReadAt(got, 7); err != nil || !bytes.Equal(got, p[7:]) {
		t.Error(err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

func TestRing_KeepsTheNewest(t *testing.T) {
	r := newRing(10, 100)
	all := []byte("abcdefghijklmnopqrstuvwxyz")
	r.add(all[:7])
	r.add(all[7:9])
	r.add(all[9:])
	got := make([]byte, 10)
	if !r.read(got, 116) || string(got) != "qrstuvwxyz" {
		t.Errorf("%q", got)
	}
	if r.read(got[:1], 115) || r.read(got[:2], 125) {
		t.Error("it gives what it does not have")
	}
}
