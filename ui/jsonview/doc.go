// Package jsonview shows JSON as a list of lines that fold.
//
// A document is an index over the raw bytes: two bytes for each line, and a few integers for
// each container. Nothing is decoded or encoded again: numbers, escapes and odd spellings show
// as they were sent. Moving, folding and painting cost what is visible, so a
// document of many megabytes scrolls like a small one.
//
// The package knows paint and nothing of the protocol: what a field means, and
// where a note on it comes from, is the caller's business.
package jsonview
