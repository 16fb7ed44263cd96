// Package oddframes writes streams of lines that a JSON encoder would write differently: spacing, escapes,
// duplicate members, huge numbers, invalid UTF-8, \r\n, blank lines, text, and a last line without its end.
// Code that records or forwards such a stream must keep its bytes.
package oddframes

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Lines returns n lines with their endings, the same for the same seed. The last one
// has no ending. A line has at most some kB; some hold messages with an id from 1 to n.
func Lines(seed uint64, n int) [][]byte {
	random := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // repeatable on purpose
	lines := make([][]byte, n)
	for i := range lines {
		text := line(random, i+1)
		switch {
		case i == n-1:
			text = `{"jsonrpc":"2.0","method":"cut of`
		case random.IntN(5) == 0:
			text += "\r\n"
		default:
			text += "\n"
		}
		lines[i] = []byte(text)
	}
	return lines
}

// Bodies returns n frames that can be the body of an HTTP message or the data of an
// event: lines without line breaks, and not blank.
func Bodies(seed uint64, n int) [][]byte {
	var bodies [][]byte
	for _, l := range Lines(seed, 3*n+1) {
		text := strings.TrimRight(string(l), "\r\n")
		if strings.TrimSpace(text) != "" && len(bodies) < n {
			bodies = append(bodies, []byte(text))
		}
	}
	return bodies
}

func line(random *rand.Rand, id int) string {
	space := func() string { return strings.Repeat(" ", random.IntN(4)) + strings.Repeat("\t", random.IntN(2)) }
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	value := pick(
		`"caf\u00e9 \ud83c\udf75 \/ \b\f"`, `"café 🍵 <&> `+"\u2028"+`"`, `12345678901234567890123456789.0e-7`, `-0`, `1E+400`,
		`[1 , 2,3 ]`, `{"a" :1,"a": 2}`, `null`, `"\ud800"`, `""`, `"`+strings.Repeat("x", random.IntN(3000))+`"`,
	)
	switch random.IntN(12) {
	case 0:
		return space()
	case 1:
		return "Listening on stdio " + pick("…", "\x1b[31mred\x1b[0m", "\x00\x07")
	case 2:
		return `{"jsonrpc":"2.0","method":"bad` + "\xff\xfe\xe9" + `"}`
	case 3:
		return `{"jsonrpc":"2.0","id":` + fmt.Sprint(id) + `,"method":"x","params":` + value + `,}`
	case 4:
		return "\xef\xbb\xbf" + `{"jsonrpc":"2.0","method":"bom"}`
	case 5:
		return `[{"jsonrpc":"2.0","method":"a"},` + space() + `{"jsonrpc":"2.0","method":"b"}]`
	case 6:
		return `{"id":` + fmt.Sprint(id) + `,"result":` + value + `,"jsonrpc":"2.0","result":1,"msg":"","n":3}`
	}
	return space() + `{` + space() + `"jsonrpc"` + space() + `:"2.0",` + space() + `"id":` + fmt.Sprint(id) + space() +
		`,"method":"tools/` + pick("call", `c\u0061ll`, "list") + `","params":{"v":` + value + `}}` + space()
}
