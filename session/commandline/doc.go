// Package commandline writes the mcptea command that repeats what the user did in the
// inspector. Secrets become environment variables, because copied commands are often
// shared.
package commandline
