// Package parts contains the tests of the packages that panes are built from, such as documents, text fields,
// lists and the diff window, as one test program; the tests of panes are in ui/pane. A separate program per
// package would take longer to link than its tests take to run. The files and the tests are named after the
// package: go test ./ui/parts -run TextField.
package parts
