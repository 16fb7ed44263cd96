// Package diff compares JSON values by their structure, and what servers offer by
// what a change means for their clients.
//
// Values are compared as bytes: white space, the order of members and the way in
// which a string is escaped do not count; a number counts as it is written, so that
// 1 and 1.0 differ. Members are matched by name, elements of arrays by a member
// that identifies them, such as the name of a tool, or else as in a diff of lines.
//
// [Compare] returns the differences, [Rows] the lines of a side-by-side or unified
// view, and [Servers] the changes of lists, schemas and capabilities, each of which
// is breaking or compatible for a reason. The package knows no screen.
package diff
