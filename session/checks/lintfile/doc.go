// Package lintfile has the rules of package lint look at a file: a recording of
// mcptea, lines of frames, or a log of another program with frames in it.
//
// It knows the formats. It must not know the rules, nor how findings are
// printed.
package lintfile
