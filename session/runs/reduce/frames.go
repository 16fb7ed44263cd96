package reduce

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/client/transport"
	"mcptea/internal/jsontree"
	"mcptea/session/record/store"
)

// Frame is a frame of a dialogue.
type Frame struct {
	Out  bool // the client sent it
	Body any  // a tree, see package jsontree
	Row  int32
	// Unit is the row of the request for a request and its response, and the row of any other frame: the frames of a unit
	// stay or go together.
	Unit int32
	size int // bytes of the frame as it was
}

// The bounds of a recording that is reduced.
const (
	maxFrames = 20_000   // bound for the frames of a connection
	maxBytes  = 32 << 20 // bound for all frames: their trees take many times as much
)

// Dialogues returns the frames of a recording by connection, in the order of the connections. Frames that are not JSON,
// or are too large or nested too deeply, are left out. The error says that there are too many.
func Dialogues(st *store.Store) (all [][]Frame, err error) {
	size, number := 0, map[uint16]int{} // by connection
	for i := range int32(st.Snapshot().Rows) {
		row, ok := st.Row(i)
		if !ok || !row.IsFrame() || row.App {
			continue
		}
		raw, err := st.Body(i)
		if err != nil {
			return nil, err
		}
		if size += len(raw); size > maxBytes {
			return nil, fmt.Errorf("the frames have more than %d MiB", maxBytes>>20)
		}
		body, ok := jsontree.Decode(raw)
		if !ok {
			continue
		}
		unit := i
		if row.Kind.IsResponse() && row.Pair != store.None {
			unit = row.Pair
		}
		n, known := number[row.Conn]
		if !known {
			n = len(all)
			number[row.Conn] = n
			all = append(all, nil)
		}
		if len(all[n]) == maxFrames {
			return nil, fmt.Errorf("connection %d has more than %d frames", row.Conn, maxFrames)
		}
		all[n] = append(all[n], Frame{Out: row.Dir == transport.Out, Body: body, Row: i, Unit: unit, size: len(raw)})
	}
	return all, nil
}

// Text returns frames as a file for mcptea lint: one on each line, behind its direction.
func Text(frames []Frame) string {
	var b strings.Builder
	for _, f := range frames {
		direction := "< "
		if f.Out {
			direction = "> "
		}
		b.WriteString(direction + jsontree.Encode(f.Body, nil) + "\n")
	}
	return b.String()
}

// copyOf returns frames with bodies of their own.
func copyOf(frames []Frame) []Frame {
	all := slices.Clone(frames)
	for i := range all {
		all[i].Body = jsontree.Clone(all[i].Body)
	}
	return all
}

// withoutUnits leaves units of frames out as long as holds is true, until ended is.
func withoutUnits(frames []Frame, ended func() bool, holds func([]Frame) bool) []Frame {
	var units []int32
	number := map[int32]int{}
	for _, f := range frames {
		if _, known := number[f.Unit]; !known {
			number[f.Unit] = len(units)
			units = append(units, f.Unit)
		}
	}
	with := func(keep []int) (part []Frame) {
		kept := make([]bool, len(units))
		for _, n := range keep {
			kept[n] = true
		}
		for _, f := range frames {
			if kept[number[f.Unit]] {
				part = append(part, f)
			}
		}
		return part
	}
	return with(minimize(len(units), func(keep []int) bool { return len(keep) > 0 && !ended() && holds(with(keep)) }))
}
