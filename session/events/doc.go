// Package events follows the subscriptions to events of a server (SEP-3415): which events they have delivered, at
// which cursor they are, and how they ended.
//
// A [Tracker] is the state of all subscriptions of a session. It is a fold over the record: a live
// session, a recording and a tap differ only in where the frames come from. A [Follower] keeps one
// subscription going on a connection: it sends the requests, watches heartbeats, polls in time, and
// connects again with the newest cursor. What it decides by itself is an [Entry] of its subscription, like
// what the server sends.
package events
