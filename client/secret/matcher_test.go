package secret

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mcptea/internal/test/growth"
	"mcptea/internal/test/raced"
)

// covered marks the bytes of a text that are redacted because of a needle.
func covered(n *needle, text string, compares bool) string {
	marks := []byte(strings.Repeat(".", len(text)))
	found := func(at span, _ partial) {
		for i := at.start; i < at.end; i++ {
			marks[i] = '#'
		}
	}
	if compares {
		for start := range len(text) {
			if strings.HasPrefix(text[start:], n.text[:headLength]) {
				compare(n, text, start, found)
			}
		}
	} else {
		search(newMatcher([]*needle{n}), text, found)
	}
	return string(marks)
}

// A long value is found wherever a comparison at each place finds it: in texts that repeat, at the end of a text, and
// before an ellipsis.
func TestSearch_LongValueLikeComparison(t *testing.T) {
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 1))
		word := func(n int) string {
			var b strings.Builder
			for b.Len() < n {
				b.WriteString([]string{"a", "ab", "aab", "aaaa"}[random.IntN(4)])
			}
			return b.String()[:n]
		}
		period := word(1 + random.IntN(20))
		value := strings.Repeat(period, 200)[:maxCompared+1+random.IntN(40)]
		if random.IntN(2) == 0 {
			value = value[:len(value)-1] + "c"
		}
		n := &needle{text: value, borders: bordersOf(value)}
		var text strings.Builder
		for range random.IntN(6) {
			switch random.IntN(4) {
			case 0:
				text.WriteString(value)
			case 1:
				text.WriteString(value[:random.IntN(len(value))])
			case 2:
				text.WriteString(word(random.IntN(30)))
			case 3:
				text.WriteString([]string{"…", "...", " ", "c"}[random.IntN(4)])
			}
		}
		if want, got := covered(n, text.String(), true), covered(n, text.String(), false); got != want {
			t.Fatalf("seed %d: %q in\n%s\n%s, want\n%s", seed, value, text.String(), got, want)
		}
	}
}

// A value that begins with what it ends with goes on in the next line from each beginning with which the line may end.
func TestLines_LongValueThatRepeats(t *testing.T) {
	value := strings.Repeat("abcdefgh-", 9) + "end-of-value"
	var v Values
	v.Add(value)
	for cut := maxWindow; cut < len(value); cut++ {
		var l Lines
		shown := l.Redact(&v, "x "+value[:cut]) + "\n" + l.Redact(&v, value[cut:]+" y")
		if want := "x " + Mark + "\n" + Mark + " y"; shown != want {
			t.Errorf("cut after %d: %q, want %q", cut, shown, want)
		}
	}
}

// Twice the bytes take about twice the time and memory, whatever repeats in values and texts.
func TestRedact_Growth(t *testing.T) {
	raced.Never(t, "measures memory")
	ones := growth.Shape{Name: "one character", Of: func(n int) string { return strings.Repeat("1", n) }}
	words := growth.Shape{Name: "a word", Of: func(n int) string { return strings.Repeat("word-", n/5) }}
	distinct := growth.Shape{Name: "different tokens", Of: func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, `{"token":"t0ken-%d"},`, i)
		}
		return b.String()
	}}
	for _, s := range []growth.Shape{ones, words} {
		growth.CheckFrom(t, s, 256<<10, func(p growth.Peer) map[string]growth.Cost {
			return map[string]growth.Cost{
				"value in a text": growth.Of(func() {
					var v Values
					v.Add(p.Value)
					v.Redact(p.Value + p.Value)
					v.Redact(strings.ReplaceAll(p.Value, "1", `\u0031`))
				}),
				"short value in a text": growth.Of(func() {
					var v Values
					v.Add("111111", "word-word")
					v.Redact(p.Value + `\u0031`)
				}),
				"value of a frame": growth.Of(func() {
					var v Values
					JSON([]byte(`{"token":"`+p.Value[:min(len(p.Value), maxLearnedLength)]+`","x":"`+p.Value+`"}`), &v, nil)
				}),
			}
		})
	}
	growth.CheckFrom(t, distinct, 256<<10, func(p growth.Peer) map[string]growth.Cost {
		return map[string]growth.Cost{"tokens of a frame": growth.Of(func() {
			var v Values
			JSON([]byte(`[`+strings.TrimSuffix(p.Value, ",")+`]`), &v, nil)
		})}
	})
}

// The values that a peer makes secret by their names have a bound: the newest are kept.
func TestLearn_Bound(t *testing.T) {
	var v Values
	token := func(i int) string { return fmt.Sprintf("t0ken-%d-", i) + strings.Repeat("x", maxLearnedLength-20) }
	const most = maxLearnedBytes / maxLearnedLength
	for i := range 3 * most {
		JSON([]byte(`{"token":"`+token(i)+`"}`), &v, nil)
	}
	held := 0
	for _, e := range v.learned {
		held += len(e.value)
	}
	if held > maxLearnedBytes || len(v.learned) < most {
		t.Errorf("%d values of %d bytes are held", len(v.learned), held)
	}
	if got := v.Redact("is " + token(3*most-1)); got != "is "+Mark {
		t.Errorf("the newest value is not redacted: %.40q", got)
	}
	v.learn(strings.Repeat("y", maxLearnedLength))
	if got := v.Redact(strings.Repeat("y", maxLearnedLength)); got != Mark {
		t.Errorf("a value of %d bytes is not redacted: %.40q", maxLearnedLength, got)
	}
	before := len(v.learned)
	if v.learn(strings.Repeat("z", maxLearnedLength+1)); len(v.learned) != before {
		t.Error("a longer value is held")
	}
}

// A text with very many secrets makes the search for them only as often as there are values that are kept.
func TestJSON_SearchesOfAFlood(t *testing.T) {
	const n = 20 * maxLearned
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"token":"t0ken-%d","x":"a text"}`, i)
	}
	var v Values
	r := newRedactor(&v, nil)
	r.learns = true
	r.redact([]byte("["+b.String()[1:]+"]"), true)
	if most := maxLearned + n/maxLearned; r.updates > most {
		t.Errorf("%d searches for %d values, want at most %d", r.updates, n, most)
	}
	if last := fmt.Sprintf("t0ken-%d", n-1); v.Redact(last) != Mark {
		t.Errorf("the newest value is not redacted")
	}
}
