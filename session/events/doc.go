// Package events follows the subscriptions to events of a server (SEP-3415): the delivered events, the current
// cursor, and the end.
//
// A [Tracker] is the state of all subscriptions of a session. It is a fold over the record: a live session, a
// recording and a tap differ only in the source of the frames. A [Follower] keeps one subscription running on a
// connection: it sends the requests, watches heartbeats, polls in time, and reconnects with the newest cursor.
// Its own decisions are entries of the subscription ([Entry]), like messages of the server.
package events
