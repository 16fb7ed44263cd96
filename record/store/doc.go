// Package store keeps the frames of a session: a fixed-size row for each, and the bytes in the
// recording on disk.
// Appending takes a lock, writes to a buffer, and wakes the subscribers; it never waits for a
// reader. The newest rows are in memory and older ones in an unnamed temporary file, so memory does
// not grow with the number of frames. Rows are never dropped. Bodies are dropped when the recording
// reaches its limit or the disk stays full. The newest bodies then remain readable for a while, and
// [Store.NotKept] returns the first row without a body.
// The matcher of package flow correlates the frames, and the store marks the rows with its matches.
// A [Row] refers to the row of its request or response, and its flags report faults of the
// correlation. The store itself does not depend on methods, screens or transports.
package store
