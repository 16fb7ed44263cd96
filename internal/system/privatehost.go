package system

import (
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// localSuffixes lists suffixes of host names that no public name server knows.
var localSuffixes = []string{".localhost", ".localdomain", ".local", ".internal", ".intranet", ".private", ".corp", ".home", ".lan", ".home.arpa"}

// localPrefixes lists address ranges that are not public. [netip.Addr] knows some others.
var localPrefixes = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),     // this network
	netip.MustParsePrefix("100.64.0.0/10"), // shared address space of carriers
	netip.MustParsePrefix("192.0.0.0/24"),  // protocol assignments
	netip.MustParsePrefix("198.18.0.0/15"), // benchmarks
	netip.MustParsePrefix("240.0.0.0/4"),   // reserved, with the broadcast address
	netip.MustParsePrefix("fec0::/10"),     // site-local addresses
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2001::/32"), // Teredo
}

// embedding are ranges of IPv6 whose addresses contain one of IPv4, with the first of its bytes.
var embedding = []struct {
	in   netip.Prefix
	from int
}{
	{netip.MustParsePrefix("::/96"), 12},
	{netip.MustParsePrefix("64:ff9b::/96"), 12}, // NAT64
	{netip.MustParsePrefix("2002::/16"), 2},     // 6to4
}

// IsPrivateHost reports whether a host is this machine or in a private network, judged by its name or its
// address in any form that programs accept. It does not resolve names: see [IsPrivateAddr].
func IsPrivateHost(host string) bool {
	host = normalized(host)
	if ip, ok := addressOf(host); ok {
		return IsPrivateAddr(ip)
	}
	if !strings.Contains(host, ".") {
		return true // a name of the own network
	}
	for _, suffix := range localSuffixes {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return false
}

// normalized returns a host in the form that a transport uses.
func normalized(host string) string {
	host = strings.NewReplacer("\u3002", ".", "\uff61", ".").Replace(norm.NFKC.String(host))
	return strings.ToLower(strings.TrimRight(host, "."))
}

// AddressOf returns the address that a host is, in any form that programs accept, such as 127.1 or full-width digits. ok
// is false for a name.
func AddressOf(host string) (ip netip.Addr, ok bool) { return addressOf(normalized(host)) }

// addressOf returns the address that a host is, in any form that programs read: 127.1, 0x7f000001, 017700000001.
func addressOf(host string) (netip.Addr, bool) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.WithZone(""), true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	value := uint64(0)
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32)
		if err != nil && len(part) > 1 && part[0] == '0' {
			n, err = strconv.ParseUint(part, 10, 32) // 08
		}
		last := i == len(parts)-1
		if err != nil || strings.Contains(part, "_") || !last && n > 255 || last && n >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		if last {
			value = value<<(8*(5-len(parts))) | n
		} else {
			value = value<<8 | n
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

// IsPrivateAddr reports whether an address is one of this machine or of a private network.
func IsPrivateAddr(ip netip.Addr) bool {
	ip = ip.WithZone("").Unmap()
	if ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() {
		return true
	}
	for _, p := range localPrefixes {
		if p.Contains(ip) {
			return true
		}
	}
	for _, e := range embedding {
		if b := ip.As16(); e.in.Contains(ip) && IsPrivateAddr(netip.AddrFrom4([4]byte(b[e.from:e.from+4]))) {
			return true
		}
	}
	return false
}
