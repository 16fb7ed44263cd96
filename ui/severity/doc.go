// Package severity shows the severities of findings the same way in every part of
// the screen: color and sign.
//
// Tests: ui/parts/severity_test.go
package severity
