package store

import (
	"bytes"
	"errors"
	"testing"
)

// brokenBacking has room for so many bytes.
type brokenBacking struct {
	heap
	room int
}

var errBroken = errors.New("no space left on device")

func (b *brokenBacking) WriteAt(p []byte, off int64) (int, error) {
	if int(off)+len(p) > b.room {
		return 0, errBroken
	}
	return b.heap.WriteAt(p, off)
}

// without returns a spill whose temporary directory takes so many bytes; -1 is a
// directory that cannot be written.
func without(limit int64, room int) *spill {
	s := newSpill(limit)
	s.create = func(k spillKind) (backing, error) {
		switch {
		case k == inTempDir && room < 0:
			return nil, errBroken
		case k == inTempDir:
			return &brokenBacking{room: room}, nil
		}
		return createBacking(k)
	}
	return s
}

func TestSpill_MovesToMemory(t *testing.T) {
	for _, room := range []int{-1, 0, 25, 1000} {
		s := without(0, room)
		var want []byte
		for i := range 100 {
			p := bytes.Repeat([]byte{byte(i)}, 10)
			at, err := s.add(p)
			if err != nil || at != int64(len(want)) {
				t.Fatalf("room %d: added at %d, %v", room, at, err)
			}
			want = append(want, p...)
		}
		got := make([]byte, len(want))
		if _, err := s.ReadAt(got, 0); err != nil || !bytes.Equal(got, want) {
			t.Errorf("room %d: other bytes come back: %v", room, err)
		}
		if err := s.writeAt([]byte("changed"), 40); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ReadAt(got[:7], 40); err != nil || string(got[:7]) != "changed" {
			t.Errorf("room %d: %q, %v", room, got[:7], err)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestSpill_MemoryHasALimit(t *testing.T) {
	s := without(100, 50)
	n := 0
	for ; n < 1000; n++ {
		if _, err := s.add(make([]byte, 10)); err != nil {
			if !errors.Is(err, errSpillFull) {
				t.Fatal(err)
			}
			break
		}
	}
	if n != 15 { // 50 bytes in the file, 100 in memory
		t.Errorf("%d pieces fit, want 15", n)
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
