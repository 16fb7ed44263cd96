//go:build race

package raced

// Enabled is whether this binary has the race detector.
const Enabled = true
