package compose

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mcptea/internal/words/phrase"
)

// maxRepeat is the maximum number of repetitions.
const maxRepeat = 10000

// ParseRepeat parses a count and an optional interval: "100", "100 50ms" or "100 at once". If the
// text has no interval, it returns without.
func ParseRepeat(text string, without time.Duration) (count int, interval time.Duration, err error) {
	fields := strings.Fields(atOnce.ReplaceAllString(strings.ReplaceAll(text, "every", " "), " 0s"))
	if len(fields) == 0 || len(fields) > 2 {
		return 0, 0, errors.New("write a count and, if you like, an interval: 100, 100 50ms, 100 at once")
	}
	interval = without
	count, err = strconv.Atoi(fields[0])
	if err != nil || count < 1 || count > maxRepeat {
		return 0, 0, fmt.Errorf("%q is not a count from 1 to %s", fields[0], phrase.Digits(maxRepeat))
	}
	if len(fields) == 2 {
		interval, err = time.ParseDuration(fields[1])
		if err != nil || interval < 0 || interval > time.Hour {
			return 0, 0, fmt.Errorf("%q is not an interval such as 50ms or 2s", fields[1])
		}
	}
	return count, interval, nil
}

// atOnce matches the words for no interval.
var atOnce = regexp.MustCompile(`\s+(at once|in parallel|parallel|concurrent)\s*$`)
