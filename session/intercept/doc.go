// Package intercept holds frames on their way: frames that match a breakpoint wait for a decision (forward,
// edit, drop, duplicate, delay, respond), and faults change some of the others.
//
// A [Gate] belongs to a connection of the inspector or to a tap. The code that moves frames passes each one
// to the [Lane] of its stream. Usually [Lane.Take] returns nil, and the frame is forwarded immediately.
// Otherwise a [Ticket] reports when the frame is forwarded, and with which bytes. A lane keeps its order:
// frames after a held one wait, too.
//
// A user controls a gate through the methods of [Gate], directly or, with the same methods, through a
// connection to a tap (package tap). Held frames are forwarded after a time limit, and when the controller
// disconnects, so that nothing waits forever.
//
// A gate without breakpoints and faults costs one atomic load per frame.
package intercept
