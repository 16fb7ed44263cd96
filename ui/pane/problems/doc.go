// Package problems is the pane of the lint findings: each rule with its findings,
// the most severe first, and the selected one in full, with the part of the frame
// that it is about.
//
// It shows copies of the findings of the session and returns actions; it checks
// nothing itself.
package problems
