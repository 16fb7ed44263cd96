package relay

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

const (
	swarOnes = 0x0101010101010101
	swarHigh = 0x8080808080808080
)

// mayConcern reports whether the relay may have to do more with lines of a server than forward
// them. It returns false if no line has an id at any place, and no line is a notification that
// cancels or acknowledges. It searches for `"id"`, `cancelled"` and `acknowledged"`. Lines with an
// escape may have these in another spelling, so they count, too.
func mayConcern(lines []byte) bool {
	i := 0
	for ; i+9 <= len(lines); i += 8 {
		// Eight places at a time. The tests may have false positives after a true one, but no false negatives.
		w, next := binary.LittleEndian.Uint64(lines[i:]), binary.LittleEndian.Uint64(lines[i+1:])
		end := (w ^ swarOnes*'d') | (next ^ swarOnes*'"')
		slash := w ^ swarOnes*'\\'
		if (slash-swarOnes)&^slash&swarHigh != 0 {
			return true
		}
		for hits := (end - swarOnes) &^ end & swarHigh; hits != 0; hits &= hits - 1 {
			if endsConcern(lines, i+bits.TrailingZeros64(hits)/8) {
				return true
			}
		}
	}
	for ; i < len(lines); i++ {
		if lines[i] == '\\' || endsConcern(lines, i) {
			return true
		}
	}
	return false
}

// endsConcern reports whether one of the words that mayConcern searches ends at a position.
func endsConcern(lines []byte, at int) bool {
	if lines[at] != 'd' || at+1 >= len(lines) || lines[at+1] != '"' {
		return false
	}
	before := lines[:at]
	return bytes.HasSuffix(before, []byte(`"i`)) || bytes.HasSuffix(before, []byte("cancelle")) || bytes.HasSuffix(before, []byte("acknowledge"))
}
