package authority

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// documents fetches client ID metadata documents, each over a connection of its own.
var documents http.RoundTripper = &http.Transport{
	DialContext:            (&net.Dialer{Timeout: 5 * time.Second, Control: publicOnly}).DialContext,
	DisableKeepAlives:      true,
	MaxResponseHeaderBytes: 64 << 10,
}

// publicOnly rejects connections to this machine and to private networks: a web page chooses the URL of a document.
func publicOnly(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap()
	if ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() {
		return fmt.Errorf("%s is not a public address", ip)
	}
	return nil
}
