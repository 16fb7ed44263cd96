package app

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

const DefaultRecordLimit = "2GB"

var errNotASize = errors.New("not a size")

// units are the suffixes of sizes, the longest first.
var units = []struct {
	suffix string
	bytes  float64
}{
	{"GIB", 1 << 30},
	{"MIB", 1 << 20},
	{"KIB", 1 << 10},
	{"GB", 1e9},
	{"MB", 1e6},
	{"KB", 1e3},
	{"G", 1e9},
	{"M", 1e6},
	{"K", 1e3},
	{"B", 1},
	{"", 1},
}

// ParseSize reads a number of bytes such as 500MB.
func ParseSize(text string) (int64, error) {
	text = strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(text), " ", ""))
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsNaN(n) || n < 0 || n*u.bytes >= math.MaxInt64 {
			return 0, errNotASize
		}
		return int64(n * u.bytes), nil
	}
	return 0, errNotASize
}
