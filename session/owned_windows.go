package session

// owned reports no error: the directory is below the user's profile.
func owned(string) error { return nil }
