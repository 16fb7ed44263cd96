// Package millis has the duration of JSON documents.
package millis

import (
	"encoding/json"
	"time"
)

// Duration is a duration that JSON has in milliseconds, rounded to 10 µs.
type Duration time.Duration

// MarshalJSON implements json.Marshaler.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(float64(time.Duration(d).Round(10*time.Microsecond)) / float64(time.Millisecond))
}
