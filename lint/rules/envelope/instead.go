package envelope

import (
	"bytes"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
)

// instead holds the rows of the newest frames that may be the response to a request, by direction: a response that
// matches no request, or a damaged object.
type instead map[transport.Direction]int32

// watchDamaged records a line with an object that is not valid JSON. A line of a log is not a response.
func watchDamaged(c *lint.Context) {
	if c.F.Envelope.Kind == jsonrpc.Invalid && bytes.ContainsRune(c.F.Bytes, '{') {
		keepInstead(c)
	}
}

// keepInstead records a frame.
func keepInstead(c *lint.Context) {
	own := lint.Own[instead](c.St)
	if *own == nil {
		*own = instead{}
	}
	(*own)[c.F.Dir] = c.F.Row
}

// hasInstead reports whether a frame that may be the response to a request has arrived since its row. Then other rules name
// the frame, and nothing is known about a missing response.
func hasInstead(c *lint.Context, row int32, to transport.Direction) bool {
	came, ok := (*lint.Own[instead](c.St))[opposite[to]]
	return ok && came > row
}

var opposite = map[transport.Direction]transport.Direction{transport.In: transport.Out, transport.Out: transport.In}
