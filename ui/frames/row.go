package frames

import (
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record/store"
	"mcptea/ui/paint"
)

// WaitsForUser reports whether a frame is a request of the server that the user must answer.
func WaitsForUser(row *store.Row, method string) bool {
	return row.Flags&store.Pending != 0 && row.Dir == transport.In && (method == client.MethodSampling || method == client.MethodElicitation)
}

// OfServer reports whether a frame belongs to a request that the server made.
func OfServer(kind jsonrpc.Kind, dir transport.Direction) bool {
	return kind == jsonrpc.Request && dir == transport.In || kind.IsResponse() && dir == transport.Out
}

// Arrow returns the sign for the direction of a frame, one cell wide. Its color distinguishes a request of the
// server from a response.
func Arrow(pal *paint.Palette, kind jsonrpc.Kind, dir transport.Direction) paint.Span {
	switch {
	case dir == transport.Out:
		return paint.Span{Style: pal.Out, Text: pal.ArrowOut}
	case kind == jsonrpc.Request:
		return paint.Span{Style: pal.Asked, Text: pal.ArrowIn}
	case kind.IsResponse():
		return paint.Span{Style: pal.In, Text: pal.ArrowIn}
	}
	return paint.Span{Style: pal.Muted, Text: pal.ArrowIn}
}
