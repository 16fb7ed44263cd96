package stdio

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
)

const (
	maxSockets    = 1 << 20 // bytes of a table of sockets that are read
	maxConnecting = 3       // addresses that are kept
	synSent       = "02"    // state of a connection that the other side has not accepted, see include/net/tcp_states.h
)

// connecting returns the addresses that a process is connecting to: the other side has not responded yet.
func connecting(pid int) (addresses []string) {
	sockets := map[string]bool{} // inodes of its sockets
	for _, fd := range names(fmt.Sprintf("/proc/%d/fd", pid)) {
		link, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd))
		if inode, ok := strings.CutPrefix(link, "socket:["); err == nil && ok {
			sockets[strings.TrimSuffix(inode, "]")] = true
		}
	}
	if len(sockets) == 0 {
		return nil
	}
	buffer := make([]byte, maxSockets)
	for _, table := range [...]string{"tcp", "tcp6"} {
		text := contents(fmt.Sprintf("/proc/%d/net/%s", pid, table), buffer)
		for line := range strings.Lines(string(text)) {
			// sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode
			fields := strings.Fields(line)
			if len(fields) < 10 || fields[3] != synSent || !sockets[fields[9]] {
				continue
			}
			if to, ok := socketAddress(fields[2]); ok && len(addresses) < maxConnecting && !slices.Contains(addresses, to) {
				addresses = append(addresses, to)
			}
		}
	}
	return addresses
}

// socketAddress reads an address of a table of sockets: words of four bytes in the order of the machine, and a port.
func socketAddress(text string) (string, bool) {
	host, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(host)
	var number uint16
	if _, bad := fmt.Sscanf(port, "%X", &number); err != nil || bad != nil || len(raw)%4 != 0 {
		return "", false
	}
	for word := range slices.Chunk(raw, 4) {
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	ip, ok := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(ip.Unmap(), number).String(), ok
}
