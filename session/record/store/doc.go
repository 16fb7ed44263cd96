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
// What belongs together is found by the matcher of package flow, from whose matches the rows
// are marked: a [Row] names the row of its request or response, and its flags say what does
// not fit. The store itself knows
// no method, no screen and no wire.
package store
