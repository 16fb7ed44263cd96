package facts

import "testing"

// A place that was neither sent nor declared is the server's own; the class of an exception is not a place.
func TestForeignIn(t *testing.T) {
	for failure, want := range map[string]string{
		"Invalid arguments:items.0.owner.avatar_url: Expected string, received null": "items.0.owner.avatar_url",
		"Invalid arguments: user.name: Required":                                     "",
		"Invalid arguments: filter.from: Required":                                   "",
		"params.arguments: Expected object, received string":                         "",
		"psycopg2.ProgrammingError: invalid dsn":                                     "",
		"issues[0].assignee: Expected object, received null":                         "issues[0].assignee",
	} {
		if got := foreignIn(failure, []byte(`{"user":{}}`), []byte(`{"filter":{}}`)); got != want {
			t.Errorf("%s: the place is %q, want %q", failure, got, want)
		}
	}
}
