// Package store keeps the frames of a session: a small row of fixed size for
// each in memory, the bytes in the recording on disk.
//
// Appending takes a lock, writes into a buffer, and wakes whoever watches; it
// never waits for a reader. The disk is the buffer: nothing is dropped, and a
// million frames cost a few dozen megabytes of memory.
//
// The store pairs answers with their requests, in both directions, by the raw
// bytes of the id: 1, "1" and 1.0 are three ids. What does not fit is marked
// and kept. It also knows the two notifications that belong to a request
// (specification, basic / utilities: progress and cancellation); beyond these
// it knows no method, no screen and no wire.
package store
