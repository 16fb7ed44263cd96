package reduce

import (
	"fmt"
	"slices"

	"mcptea/client/transport"
	"mcptea/internal/jsontree"
	"mcptea/record"
	"mcptea/record/store"
)

// Frame is a frame of a dialogue, or another event next to the frames: an HTTP exchange, a line of stderr, a change of the
// process.
type Frame struct {
	Out  bool // the client sent it
	Body any  // tree, see package jsontree; nil for bytes that are not JSON
	Row  int32
	// Unit is the row of the request for a request and its response, and another number for each other frame: the frames
	// of a unit stay or go together.
	Unit int32

	raw    []byte          // bytes that are written instead of Body, or nil
	wire   transport.Frame // place of the frame, without its bytes
	event  string          // kind of an event that is not a frame, or ""; Body then holds the members of its line
	at     int64           // nanoseconds since the first event
	number int32           // number in the dialogue, from 0
	size   int             // original size of the frame, in bytes
}

// IsFrame reports whether it is a frame, and not another event.
func (f *Frame) IsFrame() bool { return f.event == "" }

// Dialogue holds the events of a connection.
type Dialogue struct {
	Frames []Frame
	header record.Header
}

// Len returns the number of frames, without other events.
func Len(frames []Frame) (n int) {
	for i := range frames {
		if frames[i].IsFrame() {
			n++
		}
	}
	return n
}

// The bounds of a recording that is reduced.
const (
	maxFrames = 20_000   // bound for the events of a connection
	maxBytes  = 32 << 20 // bound for all frames: their trees take many times as much
)

// Dialogues returns the events of a recording by connection, in the order of the connections. It
// leaves out connections of apps and probes. It returns an error if there are too many.
func Dialogues(st *store.Store) (all []Dialogue, err error) {
	r := reader{st: st, number: map[uint16]int{}, units: map[string]int32{}}
	for tail := st.NewTail(); ; {
		e, row, ok, err := tail.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if err := r.event(&e, row); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(r.all, func(d Dialogue) bool { return Len(d.Frames) == 0 }), nil
}

// reader reads the dialogues of a store.
type reader struct {
	st     *store.Store
	all    []Dialogue
	number map[uint16]int   // number of a dialogue by connection
	units  map[string]int32 // units of exchanges, by connection and exchange
	size   int
}

// event adds an event to the dialogue of its connection.
func (r *reader) event(e *record.Event, row int32) error {
	if e.Beside {
		return nil
	}
	f := Frame{Row: row, wire: e.Frame}
	f.wire.Bytes = nil
	switch e.Kind {
	case record.KindFrame:
		f.Out, f.raw, f.size = e.Frame.Dir == transport.Out, slices.Clone(e.Frame.Bytes), len(e.Frame.Bytes)
		f.Body, _ = jsontree.Decode(f.raw)
	case record.KindConnection, record.KindHTTP, record.KindProcess, record.KindStderr, record.KindAuthorization:
		line := record.AppendEvent(nil, 1, e)
		body, ok := jsontree.Decode(line)
		members, isObject := body.(map[string]any)
		if !ok || !isObject {
			return nil
		}
		f.event, _ = members["k"].(string)
		for _, name := range []string{"s", "t", "k"} {
			delete(members, name)
		}
		f.Body, f.size = members, len(line)
	default:
		return nil
	}
	n, known := r.number[e.Conn]
	if !known {
		n = len(r.all)
		r.number[e.Conn] = n
		r.all = append(r.all, Dialogue{header: record.Header{Transport: r.st.Header().Transport, Part: r.st.Header().Part}})
	}
	d := &r.all[n]
	switch {
	case len(d.Frames) == maxFrames:
		return fmt.Errorf("connection %d has more than %d frames", e.Conn, maxFrames)
	case r.size+f.size > maxBytes:
		return fmt.Errorf("the frames have more than %d MiB", maxBytes>>20)
	}
	r.size += f.size
	f.number, f.at = int32(len(d.Frames)), e.Time.UnixNano()
	f.Unit = r.unit(&f, e)
	d.Frames = append(d.Frames, f)
	return nil
}

// unit returns the unit of an event.
func (r *reader) unit(f *Frame, e *record.Event) int32 {
	const others = 1 << 30 // above all rows
	if f.IsFrame() {
		if row, ok := r.st.Row(f.Row); ok && row.Kind.IsResponse() && row.Pair != store.None {
			return row.Pair
		}
		return f.Row
	}
	if e.Kind == record.KindHTTP {
		key := fmt.Sprint(e.Conn, " ", e.Exchange.ID)
		if _, known := r.units[key]; !known {
			r.units[key] = others + f.number
		}
		return r.units[key]
	}
	return others + f.number
}

// bytes returns the bytes of a frame that are written.
func (f *Frame) bytes() []byte {
	if f.raw != nil {
		return f.raw
	}
	return []byte(jsontree.Encode(f.Body, nil))
}

// tree returns the tree that is written, or nil if the bytes are.
func (f *Frame) tree() any {
	if f.raw != nil {
		return nil
	}
	return f.Body
}

// copyOf returns frames with bodies of their own.
func copyOf(frames []Frame) []Frame {
	all := slices.Clone(frames)
	for i := range all {
		if all[i].tree() != nil {
			all[i].Body = jsontree.Clone(all[i].Body)
		}
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
