// Package parts has the tests of the packages that panes are made of, such as documents, text
// fields, lists and the window of what differs, as one test program; those of the panes are in
// ui/pane. A program for each package takes longer to link than its tests take to run. The files
// and the tests are named for the package: go test ./ui/parts -run TextField.
package parts
