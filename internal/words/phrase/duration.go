package phrase

import (
	"fmt"
	"math"
	"time"
)

// Duration writes a duration for a sentence: "32 ms", "1.5 s", "2 min 05 s". It is negative between two times
// of a clock that was set back in the meantime.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Duration(-max(d, math.MinInt64+1)) // the minimum has no positive counterpart
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.3g s", d.Round(10*time.Millisecond).Seconds())
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
}
