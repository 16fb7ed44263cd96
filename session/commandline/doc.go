// Package commandline writes the command of this program that does what was
// done in the inspector. Secrets become environment variables: a command that
// is copied tends to be passed on.
package commandline
