// Package timeline shows the requests of a session in time: a waterfall of both
// directions on one axis, the latency of each method and tool, and the phases of the
// selected request.
//
// It asks session/record/timeline for the requests in sight only. It knows no other pane and
// sends nothing.
package timeline
