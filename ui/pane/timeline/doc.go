// Package timeline shows the requests of a session in time: a waterfall of both directions on one axis, the
// latency of each method and tool, and the phases of the selected request.
//
// It reads only the visible requests from record/timeline. It does not depend on other panes and sends
// nothing.
package timeline
