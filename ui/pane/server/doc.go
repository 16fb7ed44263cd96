// Package server implements the page about the server: the progress of connecting, why it failed, what the two
// sides negotiated, why the connection ended.
//
// Everything shown is derived from the state of the session. The package does not depend on other panes, sends
// nothing and starts nothing; connecting again is an action that it returns.
//
// Tests: ui/pane/server*_test.go
package server
