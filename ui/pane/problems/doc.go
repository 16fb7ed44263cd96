// Package problems is the pane for what the rules have found: each rule with
// its findings, the worst first, and the one that is selected in full, with the
// part of the frame that it is about.
//
// It shows copies of what the session has found and gives out actions. It judges
// nothing, and knows no other pane: the frame itself is shown elsewhere.
package problems
