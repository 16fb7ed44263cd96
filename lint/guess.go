package lint

import (
	"strconv"
	"strings"
)

const (
	// maxStep is the maximum difference of two numbers that count up, or are times in milliseconds of one minute.
	maxStep = 60_000
	// maxCounted is the maximum number of digits that are compared.
	maxCounted = 18
)

// CountsUp reports whether two ids differ only in a number that counts up or is a time, so that one can be guessed from the
// other.
func CountsUp(before, id string) bool {
	start := 0
	for start < min(len(before), len(id)) && before[start] == id[start] {
		start++
	}
	for start > 0 && isDigit(id[start-1]) { // the numbers have common digits
		start--
	}
	was, wasRest := number(before[start:])
	now, nowRest := number(id[start:])
	if wasRest != nowRest || was == "" || now == "" || len(was) > maxCounted || len(now) > maxCounted {
		return false
	}
	a, _ := strconv.ParseInt(was, 10, 64)
	b, _ := strconv.ParseInt(now, 10, 64)
	return a != b && max(a-b, b-a) <= maxStep
}

// number returns the digits at the start of a text, and the rest.
func number(text string) (digits, rest string) {
	rest = strings.TrimLeft(text, "0123456789")
	return text[:len(text)-len(rest)], rest
}

func isDigit(ch byte) bool { return '0' <= ch && ch <= '9' }
