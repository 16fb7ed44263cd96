package transcript

// Align is for the tests, which are outside of the package.
var Align = align
