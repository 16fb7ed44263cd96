package transport

import (
	"errors"
	"net"
)

// WasSent reports whether the request of a failed exchange may have reached the server: it has not if its name was not
// resolved, or no connection was made.
func WasSent(err error) bool {
	var op *net.OpError
	var name *net.DNSError
	return !errors.As(err, &name) && !(errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect"))
}
