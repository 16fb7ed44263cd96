package session

// checkOwner reports no error: the directory is below the user's profile.
func checkOwner(string) error { return nil }
