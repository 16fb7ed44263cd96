package jose

import (
	"encoding/json"
	"testing"
	"time"
)

func TestDate_Time(t *testing.T) {
	for text, want := range map[string]string{
		"1700000000":   "2023-11-14T22:13:20Z",
		"1700000000.5": "2023-11-14T22:13:20.5Z",
		"1.7e9":        "2023-11-14T22:13:20Z",
		"-1.5":         "1969-12-31T23:59:58.5Z",
		"1e300":        "9999-12-31T23:59:59Z",
	} {
		var d Date
		if err := json.Unmarshal([]byte(text), &d); err != nil || d.Time().UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("%s: %v, %v; want %s", text, d.Time().UTC(), err, want)
		}
	}
	var d Date
	if json.Unmarshal([]byte(`"1700000000"`), &d) == nil {
		t.Error("a text is a date")
	}
}
