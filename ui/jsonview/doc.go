// Package jsonview shows JSON as a list of lines that fold.
//
// A document is a flat index over the raw bytes, a few integers for each line.
// Nothing is decoded or encoded again: numbers, escapes and odd spellings show
// as they were sent. Moving, folding and painting cost what is visible, so a
// document of many megabytes scrolls like a small one.
//
// The package knows paint and nothing of the protocol: what a field means, and
// where a note on it comes from, is the caller's business.
package jsonview
