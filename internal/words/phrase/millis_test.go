package phrase_test

import (
	"encoding/json"
	"testing"
	"time"

	"mcptea/internal/words/phrase"
)

func TestMillis_Duration_MarshalJSON(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0", time.Second: "1000", 4: "0", 1234567: "1.23", 15 * time.Microsecond: "0.02", time.Hour: "3600000",
	} {
		if got, err := json.Marshal(phrase.Millis(d)); err != nil || string(got) != want {
			t.Errorf("%v: %s, %v, want %s", d, got, err, want)
		}
	}
}
