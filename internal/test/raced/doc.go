// Package raced is how tests say that the race detector leaves them out, and why. Without the
// detector ([Enabled] is false) each of them runs.
package raced
