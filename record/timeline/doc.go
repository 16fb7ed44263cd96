// Package timeline derives from the events of a session when each request began and
// ended: the rows of a waterfall, what belongs to a request, and the latency of each
// method and tool.
//
// A Timeline reads the events on a goroutine of its own and keeps an entry of fixed size
// for each request, so that sessions of a million frames fit into memory. It knows no
// screen: the queries return a few requests at a time.
package timeline
