package system

// CheckOwner returns no error: the files of mcptea are below the profile of the user.
func CheckOwner(string) error { return nil }
