package revision

import "slices"

// levels are the same in all revisions, and come from RFC 5424.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// Levels are the log levels, least severe first (specification, server /
// utilities / logging).
func Levels() []string { return slices.Clone(levels) }
