package inspector

import "flag"

// wholeMatrix is set in .ci/run matrices. Without it, tests that repeat one assertion over hundreds of
// inputs (sizes, recordings, random keys) have some of them, so that each assertion has at least
// one of each kind.
var wholeMatrix = flag.Bool("all", false, "run each test over its whole matrix of sizes and inputs")

// inTurn returns one of the sizes for test number i of a matrix, by turns; all of them with -all.
func inTurn(sizes [][2]int, i int) [][2]int {
	if *wholeMatrix {
		return sizes
	}
	return sizes[i%len(sizes):][:1]
}

// steps returns how many random inputs a test sends, or how far its sizes are apart: some, or all
// with -all.
func steps(some, all int) int {
	if *wholeMatrix {
		return all
	}
	return some
}

// sizesOf returns the sizes of a test that does the same at each of them: the first one, or all
// with -all, and where the pictures are made again.
func sizesOf(sizes [][2]int) [][2]int {
	if *wholeMatrix || updating() {
		return sizes
	}
	return sizes[:1]
}

// updating reports whether the files of expected screens are written, with the flag of the goldens.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }
