package client

import (
	"math"
	"net/http"
	"strconv"
	"testing"
	"time"
)

func TestRetryAfter_Bounds(t *testing.T) {
	for seconds, want := range map[int]time.Duration{
		-1: 0, 0: 0, 1: time.Second, 1 << 31: (1 << 31) * time.Second, 1<<31 + 1: (1 << 31) * time.Second, math.MaxInt64: (1 << 31) * time.Second,
	} {
		if got := retryAfter(http.Header{"Retry-After": {strconv.Itoa(seconds)}}); got != want {
			t.Errorf("Retry-After: %d is %s, want %s", seconds, got, want)
		}
	}
}
