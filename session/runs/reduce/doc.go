// Package reduce makes the smallest case of a recording of a bug, without what the user wrote in it.
//
// [ToFinding] needs no server: it leaves out frames, members and texts of a dialogue as long as a rule of the linter has
// the same finding. [Run] tries each candidate on a server, as a script, as long as its last request fails in the same
// way. What is tried is what is written, so the result fails by construction.
//
// Texts and numbers are replaced by invented ones of the same shape. [Left] proves it: it lists what a text still has of
// the recording.
package reduce
