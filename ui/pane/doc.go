// Package pane contains the tests of the panes in the folders below it, as one test program: a separate program
// per pane would take longer to link than its tests take to run. The files and the tests are named after the
// pane: go test ./ui/pane -run Tasks.
//
// # A new pane
//
// A pane is a folder here with a type that embeds page.Page: New fills one page.Spec and one list of commands,
// Refresh takes a snapshot and calls Changed. ui/parts/page_example_test.go is a complete one in a hundred
// lines, and page_pane_test.go next to it runs it: package panetest takes the place of the program, presses
// keys and returns what the pane requested.
//
// A row in wirings (ui/inspector/panes.go) shows the pane: the command that leads to it, its name, and the
// function that makes it. A test fails for a folder without a row. A pane that is not a tab gets a rectangle in
// ui/inspector/layout.go, and its row says with show how to get there; a window with commands gets a row in
// windowsWithKeys (ui/inspector/sections.go). Then go test ./ui/inspector -run TestPage -update writes
// docs/keys.md. A new package also gets its imports in e2e/arrows_test.go and .golangci.yaml.
package pane
