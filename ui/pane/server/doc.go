// Package server is the page about the server: how connecting goes, why it did
// not work, what the two sides agreed on, why the connection ended.
//
// What it shows follows from the state of the session. It knows no other pane,
// sends nothing and starts nothing; connecting again is an action that it
// returns.
//
// Tests: ui/pane/server*_test.go
package server
