//go:build !race

package raced

// Enabled reports whether this binary has the race detector.
const Enabled = false
