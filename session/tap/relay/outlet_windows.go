package relay

import "io"

// roomIn returns a function that reports whether a file takes maxAtOnce bytes without waiting, which the
// system does not say.
func roomIn(io.Writer) func() bool { return func() bool { return false } }
