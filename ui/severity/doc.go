// Package severity shows the severities of findings the same way in every part of
// the screen: color, sign and word, and which side the fix is in.
package severity
