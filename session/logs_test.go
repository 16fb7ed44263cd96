package session

import "testing"

// The names come from the table of the protocol, the order from here.
func TestLevelsAreTheirNames(t *testing.T) {
	for token, want := range map[string]Level{
		`"debug"`: LevelDebug, `"info"`: LevelInfo, `"notice"`: LevelNotice, `"warning"`: LevelWarning,
		`"error"`: LevelError, `"critical"`: LevelCritical, `"alert"`: LevelAlert, `"emergency"`: LevelEmergency,
		`"warn"`: LevelUnknown, `"INFO"`: LevelUnknown, `""`: LevelUnknown, `3`: LevelUnknown, `"?"`: LevelUnknown,
	} {
		got := levelOf([]byte(token))
		if got != want {
			t.Errorf("%s is level %d, want %d", token, got, want)
		}
		if want > LevelUnknown && `"`+got.String()+`"` != token {
			t.Errorf("%s is written as %s", token, got)
		}
	}
}
