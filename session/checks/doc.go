// Package checks has the tests of small packages in the folders below it, as one test program: a
// program for each package takes longer to link than its tests take to run. The files and the tests
// are named for the package: go test ./session/checks -run Report.
package checks
