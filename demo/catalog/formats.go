package catalog

import (
	"fmt"
	"net/mail"
	"net/url"
	"time"
)

// wrongFormat says which of the values does not have its format, empty if all
// have. Empty values were left out and are fine, but for the day.
func wrongFormat(day, moment, email, page string) string {
	checks := []struct {
		name, value string
		ok          func(string) bool
	}{
		{"day", day, isDay},
		{"moment", moment, isMoment},
		{"email", email, isEmail},
		{"page", page, isURI},
	}
	for _, c := range checks {
		if (c.value != "" || c.name == "day") && !c.ok(c.value) {
			return fmt.Sprintf("%s: %q does not have the right format", c.name, c.value)
		}
	}
	return ""
}

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func isMoment(s string) bool {
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

func isEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != ""
}
