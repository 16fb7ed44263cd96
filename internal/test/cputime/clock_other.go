//go:build !linux && !windows

package cputime

import "time"

var started = time.Now()

func clock() time.Duration { return time.Since(started) }
