// Package e2e has no code, only tests of the whole: the built program against
// third-party servers, and the shape of the module itself.
//
// The servers in testdata/peers come from npm. Where they are not installed
// their tests are skipped and say what would install them; with MCPTEA_E2E=1
// in the environment they fail instead, so that a pipeline cannot pass by
// leaving them out.
package e2e
