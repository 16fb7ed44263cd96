package transport

import (
	"net/http"
	"strconv"
	"strings"
)

// StatusText returns an HTTP status with its name, as in "404 Not Found", or only the number if it has no name.
func StatusText(code int) string {
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}
