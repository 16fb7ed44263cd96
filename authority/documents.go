package authority

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"mcptea/internal/system"
)

// documents fetches client ID metadata documents. It uses a new connection for each.
var documents http.RoundTripper = &http.Transport{
	DialContext:            (&net.Dialer{Timeout: 5 * time.Second, Control: publicOnly}).DialContext,
	DisableKeepAlives:      true,
	MaxResponseHeaderBytes: 64 << 10,
}

// publicOnly rejects connections to this machine and to private networks, because a web page may
// choose the URL of a document.
func publicOnly(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if system.IsPrivateAddr(at.Addr()) {
		return fmt.Errorf("%s is not a public address", at.Addr())
	}
	return nil
}
