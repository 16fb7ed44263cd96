// Package lintfile runs the rules of package lint over a file: a recording of mcptea, lines of frames, or a
// log of another program that contains frames.
//
// It implements the formats. It must not depend on single rules, or on how findings are printed.
package lintfile
