package phrase

import (
	"encoding/json"
	"time"
)

// Millis is a duration that JSON has in milliseconds, rounded to 10 µs.
type Millis time.Duration

// MarshalJSON implements json.Marshaler.
func (d Millis) MarshalJSON() ([]byte, error) {
	return json.Marshal(float64(time.Duration(d).Round(10*time.Microsecond)) / float64(time.Millisecond))
}
