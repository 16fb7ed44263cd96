// Package hexview shows exact bytes, as a hex dump or as text in which every
// byte that is not plain is escaped, with one range of them marked.
//
// It reads only the bytes that are on screen. It knows paint and nothing of
// what the bytes are.
//
// Tests: ui/parts/hexview_test.go
package hexview
