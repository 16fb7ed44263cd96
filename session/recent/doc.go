// Package recent keeps the targets that the inspector was opened on most recently, in a
// file of the state directory.
//
// A target is kept as a command line in which environment variables replace secrets, so
// that no secret is in the file.
package recent
