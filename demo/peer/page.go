package peer

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// loopCursor is the cursor that leads nowhere but to itself.
const loopCursor = "YW5vdGhlciByb3VuZA"

// page cuts one page out of a list, as the cursor in the params says, and
// returns the cursor of the next page, empty after the last one.
func page[T any](c *Call, all []T) ([]T, string, error) {
	var params struct {
		Cursor *string `json:"cursor"`
	}
	if err := c.decodeParams(&params); err != nil {
		return nil, "", err
	}
	server, method := c.server(), c.message.Method
	size := server.PageSize[method]
	if size <= 0 {
		size = max(len(all), 1)
	}
	from := 0
	if params.Cursor != nil && (!server.Bend.CursorLoop || *params.Cursor != loopCursor) {
		var ok bool
		if from, ok = parseCursor(*params.Cursor, method); !ok || from > len(all) {
			return nil, "", invalidParams("unknown cursor")
		}
	}
	to := min(from+size, len(all))
	next := ""
	switch {
	case server.Bend.CursorLoop:
		next = loopCursor
	case to < len(all):
		next = makeCursor(to, method)
	}
	return append([]T{}, all[from:to]...), next, nil // never null
}

// A cursor is opaque to clients: the method and the position, in Base64.
func makeCursor(at int, method string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(method + "@" + strconv.Itoa(at)))
}

func parseCursor(cursor, method string) (int, bool) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return 0, false
	}
	number, ok := strings.CutPrefix(string(text), method+"@")
	if !ok {
		return 0, false
	}
	at, err := strconv.Atoi(number)
	return at, err == nil && at > 0
}

// list makes the result of a list method: the entries under a name of their
// own, and the cursor.
func list[T any](c *Call, name string, all []T) (any, error) {
	entries, next, err := page(c, all)
	if err != nil {
		return nil, err
	}
	result := map[string]any{name: entries}
	if next != "" {
		result["nextCursor"] = next
	}
	return result, nil
}
