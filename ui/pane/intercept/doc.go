// Package intercept is the list of the frames that a gate holds, of its breakpoints and
// of its faults, with the selected one in full.
//
// It reads a gate and returns actions. It must not decide about frames by itself, nor
// know whether the gate is that of the session or of a tap.
package intercept
