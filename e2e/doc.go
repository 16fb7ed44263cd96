// Package e2e has no code, only tests of the whole: the built program against
// third-party servers, and the shape of the module itself.
//
// The servers in testdata/peers and the checkers of exported files in
// testdata/formats come from npm. Where they are not installed their tests are
// skipped and say what would install them; with MCPTEA_E2E=1 in the environment
// they fail instead, so that a pipeline cannot pass by leaving them out. Tests
// that need Chromium are skipped without it.
package e2e
