// Package owner finds files that another user may have made or changed.
package owner

// Check reports no error: what mcptea keeps is below the profile of the user.
func Check(string) error { return nil }
