// Package history keeps the frames that the user wrote by hand, from one session to
// the next: a file of JSON Lines in the state directory, which other users cannot
// read. It is bounded, and secrets are redacted before anything is written.
package history
