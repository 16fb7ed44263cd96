// Package jsonview shows JSON as a list of foldable lines.
//
// A document is an index over the raw bytes: two bytes per line, and a few integers per container. Nothing is
// decoded or re-encoded: numbers, escapes and unusual spellings are shown as sent. Moving, folding and painting
// cost only what is visible, so a document of many megabytes scrolls like a small one.
//
// The package depends on paint but not on the protocol: the meaning of a field, and the source of a note on it,
// are the caller's business.
package jsonview
