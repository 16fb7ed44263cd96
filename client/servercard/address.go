package servercard

import (
	"errors"
	"net/netip"
	"net/url"
	"syscall"

	"mcptea/internal/system"
)

// errPrivate is the reason why mcptea does not connect to an address.
var errPrivate = errors.New("it is an address of this machine or of a private network, which a public catalog may not name")

// isLocal reports whether a host is this machine or in a private network.
func isLocal(host string) bool { return system.IsPrivateHost(host) }

// refusePrivate refuses to connect to an address of this machine or of a private network.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || system.IsPrivateAddr(at.Addr()) {
		return errPrivate
	}
	return nil
}

// isSame reports whether two URLs are of one document.
func isSame(a, b *url.URL) bool {
	plain := func(u *url.URL) string {
		copied := *u
		copied.User, copied.Fragment, copied.RawFragment, copied.RawQuery, copied.ForceQuery = nil, "", "", "", false
		return copied.String()
	}
	return plain(a) == plain(b)
}
