package revision

import (
	"encoding/base64"
	"strings"
)

// What stands around a header value that is encoded, exactly so.
const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// HeaderValue writes a text as the value of a header such as Mcp-Name
// (2026-07-28, basic / transports, "Value Encoding"): as it is where HTTP
// carries that unchanged, else as Base64 between two marks. A text that looks
// as if it were encoded is, too.
func HeaderValue(text string) string {
	if isPlain(text) {
		return text
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(text)) + encodedSuffix
}

func isPlain(text string) bool {
	for i := range len(text) {
		if ch := text[i]; (ch < ' ' || ch > '~') && ch != '\t' {
			return false
		}
	}
	return strings.Trim(text, " \t") == text && (!strings.HasPrefix(text, encodedPrefix) || !strings.HasSuffix(text, encodedSuffix))
}
