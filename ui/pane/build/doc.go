// Package build shows the output of a build that failed, with the places in source
// files that it names.
package build
