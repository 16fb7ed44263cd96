package check

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// rational writes a number as people do.
func rational(s string) string {
	over, under, ok := strings.Cut(s, "/")
	if !ok {
		return shorten(s)
	}
	x, errA := strconv.ParseFloat(over, 64)
	y, errB := strconv.ParseFloat(under, 64)
	if errA != nil || errB != nil {
		return shorten(s)
	}
	return strconv.FormatFloat(x/y, 'g', -1, 64)
}

func formatName(format string) string {
	switch format {
	case "email":
		return "an email address"
	case "uri":
		return "a URI"
	case "date":
		return "a date such as 2025-01-31"
	case "date-time":
		return "a time such as 2025-01-31T15:04:05Z"
	}
	return "a valid " + format
}

const (
	maxShown = 60 // bytes of a piece of foreign text
	maxNamed = 7  // values of a list
)

func values(list []any) string {
	var words []string
	for i, v := range list {
		if i == maxNamed && len(list) > maxNamed+1 {
			return fmt.Sprintf("%s and %d more", strings.Join(words, ", "), len(list)-i)
		}
		b, err := json.Marshal(v)
		if s, ok := v.(string); ok || err != nil {
			words = append(words, short(s))
			continue
		}
		words = append(words, shorten(string(b)))
	}
	return strings.Join(words, ", ")
}

// short is foreign text in quotation marks, so that it obeys no terminal.
func short(s string) string {
	if len(s) > maxShown {
		return strconv.Quote(strings.ToValidUTF8(s[:maxShown], "\uFFFD")) + "…"
	}
	return strconv.Quote(s)
}

func shorten(s string) string {
	if len(s) > maxShown || strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return short(s)
	}
	return s
}
