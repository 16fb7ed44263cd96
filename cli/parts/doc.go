// Package parts has the tests of the packages that commands are made of, such as the settings of
// a run, what names a server and the configuration file, as one test program; those of command
// lines are in cli. A program for each package takes longer to link than its tests take to run.
// The files and the tests are named for the package: go test ./cli/parts -run Target.
package parts
