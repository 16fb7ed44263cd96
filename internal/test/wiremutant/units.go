package wiremutant

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// units are operators of a member that write the same value in another unit, encoding or type, or another value in the
// right form.
var units = map[string]func(v any, s *state) any{
	"float": func(v any, _ *state) any { // 1 is 1.0
		if n, ok := v.(json.Number); ok && !strings.ContainsAny(n.String(), ".eE") {
			return json.Number(n.String() + ".0")
		}
		return v
	},
	"scale": func(v any, s *state) any { // times Arg: of a number, or of text that is one
		by, _ := strconv.ParseFloat(string(s.Arg), 64)
		n, err := strconv.ParseFloat(fmt.Sprint(v), 64)
		if err != nil {
			return v
		}
		scaled := strconv.FormatFloat(n*by, 'f', -1, 64)
		if _, ok := v.(string); ok {
			return scaled
		}
		return json.Number(scaled)
	},
	"quote": func(v any, _ *state) any { // a number as text, or text as a number
		switch v := v.(type) {
		case json.Number:
			return v.String()
		case string:
			if _, err := strconv.Atoi(v); err == nil {
				return json.Number(v)
			}
			return 7
		}
		return v
	},
	"stringify": func(v any, _ *state) any { return encoded(v) }, // encoded twice
	"base64url": func(v any, _ *state) any {
		text, _ := v.(string)
		return strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(text)
	},
	"hex": func(v any, _ *state) any { // base64, perhaps after "v1,"
		text, _ := v.(string)
		before, after, ok := strings.Cut(text, ",")
		if !ok {
			before, after = "", text
		} else {
			before += ","
		}
		decoded, err := base64.StdEncoding.DecodeString(after)
		if err != nil {
			return v
		}
		return before + hex.EncodeToString(decoded)
	},
	"prefix": func(v any, s *state) any { return text(s.Arg) + fmt.Sprint(v) },
	"suffix": func(v any, s *state) any { return fmt.Sprint(v) + text(s.Arg) },
	"count": func(v any, s *state) any { // a different value each time
		s.n++
		return fmt.Sprint(v, "-", s.n)
	},
	"epoch": func(v any, _ *state) any { // a time in milliseconds, as text
		text, _ := v.(string)
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return v
		}
		return strconv.FormatInt(at.UnixMilli(), 10)
	},
	"fill": func(v any, s *state) any { // the elements again, up to a length of Arg
		list, ok := v.([]any)
		n, _ := strconv.Atoi(string(s.Arg))
		for i := 0; ok && len(v.([]any)) > 0 && len(list) < n; i++ {
			list = append(list, list[i])
		}
		return list
	},
	"long": func(_ any, s *state) any { // a text of Arg characters
		n, _ := strconv.Atoi(string(s.Arg))
		return strings.Repeat("x", n)
	},
	"value-of": func(v any, s *state) any { // the second of Arg in place of the first
		if pair, ok := decoded(s.Arg).([]any); ok && len(pair) == 2 && encoded(pair[0]) == encoded(v) {
			return pair[1]
		}
		return v
	},
	"borrow": func(v any, s *state) any { // the last value, at another place
		if s.has {
			return s.last
		}
		return v
	},
}

// lender is the Arg of borrow: the place whose values it takes.
type lender struct {
	Of string `json:"of"` // kind of message, as in [Edit.On]
	At string `json:"at"`
}

// lend keeps the value of a message that an edit borrows.
func (s *state) lend(kind string, m map[string]any) {
	if s.Op != "borrow" {
		return
	}
	var from lender
	if json.Unmarshal(s.Arg, &from) != nil || from.Of != kind {
		return
	}
	_, _ = edited(m, from.At, func(v any) any {
		if v != nil {
			s.last, s.has = v, true
		}
		return v
	})
}
