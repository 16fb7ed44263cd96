// Package reduce makes the smallest case of a recording of a bug, without the texts of the user.
//
// [ToFinding] needs no server: it leaves out frames, members and texts of a dialogue as long as a rule of the
// linter still reports the same finding. [Run] sends each candidate to a server, as a script, and keeps it if
// its last request fails in the same way. It writes exactly the frames that it tried, so the result is known
// to fail.
//
// Texts and numbers are replaced by invented ones of the same shape. [Left] verifies that: it lists the
// values of the recording that remain in a text.
package reduce
