// Package raced lets tests declare that the race detector leaves them out, and why. Without the detector
// ([Enabled] is false) each of them runs.
package raced
