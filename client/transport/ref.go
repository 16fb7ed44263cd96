package transport

// Ref is the place of a message in a record: the row of its frame, and the message's place in it
// if the frame is a batch. It is a value: a map may be keyed with it, and it means the same in a
// running session and in its recording. The zero value is not a place. Clients and transports
// only pass it on.
type Ref struct {
	number  int32 // number of the row, from 1
	element uint16
}

// RefTo returns the place of a message: the row, from 0, and the place in a batch, from 0 and at
// most 65,535. A negative row is not a place.
func RefTo(row int32, element uint16) Ref {
	if row < 0 {
		return Ref{}
	}
	return Ref{row + 1, element}
}

// Row returns the row of the frame, from 0; -1 for no place.
func (r Ref) Row() int32 { return r.number - 1 }

// Element returns the place in a batch, from 0.
func (r Ref) Element() uint16 { return r.element }

// Within returns the place of an element of a batch whose frame is at r.
func (r Ref) Within(element uint16) Ref {
	if r.number != 0 {
		r.element = element
	}
	return r
}

// Present reports whether it is a place.
func (r Ref) Present() bool { return r.number != 0 }
