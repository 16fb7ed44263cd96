// Package pane has the tests of the panes in the folders below it, as one test program: a program
// for each pane takes longer to link than its tests take to run. The files and the tests are named
// for the pane: go test ./ui/pane -run Tasks.
package pane
