// Package store keeps the frames of a session: a row of fixed size for each, and
// the bytes in the recording on disk.
//
// Appending takes a lock, writes into a buffer, and wakes the subscribers; it
// never waits for a reader. The newest rows are in memory and the older ones in a
// temporary file without a name, so that memory does not grow with the frames.
// Rows are never dropped. Bodies are, when the recording reaches its limit or the
// disk is full for long: the newest of them stay readable for a while, and
// [Store.NotKept] says which are gone.
//
// The store correlates responses with their requests, in both directions, by the
// raw bytes of the id: 1, "1" and 1.0 are three ids. What does not fit is marked
// and kept. A completed request is remembered as a hash of its id and a row, for
// at least the newest 131,072 of each side. The store also knows the two
// notifications that belong to a request (specification, basic / utilities:
// progress and cancellation); beyond these it knows no method, no screen and no
// wire.
package store
