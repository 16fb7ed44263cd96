//go:build unix && !linux && !darwin

package stdio

// processes returns nil: mcptea cannot list processes on this system.
func processes() []entry { return nil }

func arguments(int) []string { return nil }

func hasMark(int, string) bool { return false }
