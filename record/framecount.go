package record

import "mcptea/client/transport"

// A FrameCount is the number of frames on the wire, by direction. Exits of processes and exchanges of
// authorization are rows but not frames. All displayed frame counts are taken from here.
type FrameCount struct {
	Out, In int
	Unsent  int   // frames that were not sent: withheld, or without a connection
	Bytes   int64 // bytes of the frames in Out and In
}

// Frames returns the number of frames in both directions.
func (c *FrameCount) Frames() int { return c.Out + c.In }

// FrameCounter counts the frames of a record as its events arrive. Its zero value has counted none.
type FrameCounter struct {
	FrameCount
	// posted holds the newest frames that were passed to HTTP. The exchanges of older frames have
	// sent something by now, or their end is not counted.
	posted [256]posted
	next   uint8
}

// posted is a frame that an HTTP exchange is to carry.
type posted struct {
	exchange uint32
	size     int
}

// Event counts an event.
func (c *FrameCounter) Event(e *Event) {
	switch e.Kind {
	case KindFrame:
		c.Frame(&e.Frame)
	case KindHTTP:
		c.Exchange(e.Exchange)
	}
}

// Frame counts a frame.
func (c *FrameCounter) Frame(f *transport.Frame) {
	switch {
	case f.Side == transport.Withheld: // the frame was never sent
		c.Unsent++
		return
	case f.Dir == transport.In:
		c.In++
	default:
		c.Out++
		if f.Exchange != 0 {
			c.posted[c.next] = posted{f.Exchange, len(f.Bytes)}
			c.next++
		}
	}
	c.Bytes += int64(len(f.Bytes))
}

// Exchange subtracts the frame of an exchange that ended without a connection.
func (c *FrameCounter) Exchange(x *transport.Exchange) {
	if x.Phase != transport.ExchangeDone || !x.NeverSent() {
		return
	}
	for i, p := range c.posted {
		if p.exchange == x.ID && p.exchange != 0 {
			c.posted[i] = posted{}
			c.Out--
			c.Unsent++
			c.Bytes -= int64(p.size)
		}
	}
}
