//go:build race

package e2e

// raceDetector says that the tests run under the race detector.
const raceDetector = true
