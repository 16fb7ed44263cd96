// Package events follows the subscriptions to events of a server (SEP-3415): what they have brought,
// where they are, and what their end was.
//
// A [Tracker] is the state of all subscriptions of a session. It is a fold over the record: a live
// session, a recording and a tap differ only in where the frames come from. A [Follower] keeps one
// subscription going on a connection: it sends the requests, watches heartbeats, polls in time, and
// connects again with the newest cursor. What it decides by itself is an entry of its subscription, as
// what the server sends is.
package events
