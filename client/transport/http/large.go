package http

import (
	"runtime/debug"
	"sync/atomic"
)

// largeBody is the size of a body, in bytes, whose memory is given back before the next exchange: a
// server that sends bodies without end, for each request, would take it several times until garbage
// is collected. Collecting takes a small part of the time that reading such a body does.
const largeBody = 32 << 20

// largeEnded is set when an exchange with a large body has ended since memory was last released.
var largeEnded atomic.Bool

// noteLarge notes the end of an exchange with a body of a number of bytes.
func noteLarge(received int64) {
	if received >= largeBody {
		largeEnded.Store(true)
	}
}

// collectLarge releases the memory of large bodies that are no longer used.
func collectLarge() {
	if largeEnded.Swap(false) {
		debug.FreeOSMemory()
	}
}
