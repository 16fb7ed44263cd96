// Package intercept holds frames on their way: those that match a breakpoint wait
// for a decision (forward, edit, drop, duplicate, delay, respond), and faults
// change some of the others.
//
// A [Gate] belongs to a connection of the inspector or to a tap. The code that
// moves frames gives each one to the [Lane] of its stream; usually [Lane.Take]
// returns nil, and the frame goes on at once. Else a [Ticket] says when the frame
// goes on, and as what. The order of a lane is kept: frames behind a held one wait,
// too.
//
// A user controls a gate through the methods of [Gate], directly or, with the same
// methods, through a connection to a tap (package tap). Held frames are forwarded
// after a time limit, and when the controller goes away, so that nothing waits for
// ever.
//
// A gate without breakpoints and faults costs one atomic load a frame.
package intercept
