// Package comparison lays the report of session/runs/compare out in rows: how the
// runs go, and a table of what differs, with the revisions as columns.
//
// The inspector shows the rows in a window and the command line prints them. The
// package takes no keys, and starts and stops nothing.
package comparison
