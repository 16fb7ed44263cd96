package system

// CheckOwner reports no error: what mcptea keeps is below the profile of the user.
func CheckOwner(string) error { return nil }
