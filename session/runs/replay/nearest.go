package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/internal/words/phrase"
	"mcptea/offer/diff"
)

const (
	maxCandidates  = 200 // requests that are compared with one without a match
	maxNamed       = 3   // differences in a message
	maxDifferences = 50  // differences in the data of an error
	maxShown       = 80  // bytes of a value
)

// matchNearly returns the recorded request that differs only in times, UUIDs and redacted
// secrets. Without one it returns the error response, which names the nearest request.
func (c *conversation) matchNearly(id jsonrpc.ID, method string, params []byte) (turn *Turn, unmatched []byte) {
	turn, same := c.nearestMethod(method)
	if !same {
		text := fmt.Sprintf("the recording has no request %q", method)
		if turn != nil {
			text += fmt.Sprintf("; the nearest method is %q (frame %d)", turn.Method, turn.Row+1)
		}
		c.report("%s", text)
		return nil, jsonrpc.EncodeError(id, jsonrpc.CodeMethodNotFound, text, nil)
	}
	at, differences := c.nearest(method, params)
	if at >= 0 {
		turn = &c.turns.Turns[at]
		if len(differences) == 0 && !revision.IsHandshake(method) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.come(at)
			return turn, nil
		}
	}
	what := strings.TrimSpace(method + " " + subjectOf(params))
	text := fmt.Sprintf("no recorded request matches %s; the nearest is frame %d", what, turn.Row+1)
	for i, d := range differences {
		if i == maxNamed {
			text += fmt.Sprintf(", and %d more differences", len(differences)-i)
			break
		}
		text += "; " + describe(d)
	}
	c.report("%s", text)
	data := nearestData{Frame: int(turn.Row) + 1}
	for _, d := range differences {
		data.Differences = append(data.Differences, differenceData{"/params" + d.Path, d.Old, d.New})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(data) // raw values are valid JSON
	return nil, jsonrpc.EncodeError(id, jsonrpc.CodeInvalidParams, text, bytes.TrimSpace(b.Bytes()))
}

// nearestData is the data of the error for a request without a match.
type nearestData struct {
	Frame       int              `json:"nearestFrame"`
	Differences []differenceData `json:"differences"`
}

type differenceData struct {
	Path     string          `json:"path"` // JSON Pointer in the request
	Recorded json.RawMessage `json:"recorded,omitempty"`
	Received json.RawMessage `json:"received,omitempty"`
}

// describe returns a difference in words: arguments.n is 2, recorded is 1.
func describe(d diff.Difference) string {
	short := func(value []byte) string { return phrase.Clip(value, maxShown) }
	name := "params." + d.Name
	if d.Name == "" {
		name = "params"
	}
	switch {
	case d.Old == nil:
		return fmt.Sprintf("%s was not in the recorded request", name)
	case d.New == nil:
		return fmt.Sprintf("%s is missing, recorded is %s", name, short(d.Old))
	}
	return fmt.Sprintf("%s is %s, recorded is %s", name, short(d.New), short(d.Old))
}

// nearestMethod returns a request with the method, or else with the method of the most similar spelling, or nil
// if the recording has no request.
func (c *conversation) nearestMethod(method string) (nearest *Turn, same bool) {
	first := map[string]*Turn{}
	for i := range c.turns.Turns {
		if turn := &c.turns.Turns[i]; turn.IsRequest && first[turn.Method] == nil {
			first[turn.Method] = turn
		}
	}
	if turn := first[method]; turn != nil {
		return turn, true
	}
	byDistance := func(a, b *Turn) int {
		return cmp.Or(phrase.EditDistance(a.Method, method)-phrase.EditDistance(b.Method, method), int(a.Row-b.Row))
	}
	if len(first) == 0 {
		return nil, false
	}
	return slices.MinFunc(slices.Collect(maps.Values(first)), byDistance), false
}

// isRedacted reports a difference from a secret that was redacted in the recording.
func isRedacted(d diff.Difference) bool {
	return d.New != nil && d.New[0] == '"' && bytes.Contains(d.Old, []byte(secret.Mark))
}

// nearest returns the recorded request with the method whose params differ in the fewest places, and these
// places, or -1 if none can be read. _meta, times, UUIDs and redacted secrets do not count.
func (c *conversation) nearest(method string, params []byte) (nearest int, differences []diff.Difference) {
	o := diff.Options{Max: maxDifferences, IgnoreVolatile: true}
	meta, _ := diff.ParseIgnore("/_meta")
	o.Ignore = []diff.Ignore{meta}
	subject := subjectOf(params)
	nearest = -1
	best, compared := 0, 0
	for i := range c.turns.Turns {
		turn := &c.turns.Turns[i]
		if !turn.IsRequest || turn.Method != method {
			continue
		}
		if compared++; compared > maxCandidates {
			break
		}
		recorded, err := c.turns.params(turn.Row)
		if err != nil {
			continue
		}
		all, more, err := diff.Compare(orObject(recorded), orObject(params), o)
		if err != nil {
			continue
		}
		all = slices.DeleteFunc(all, isRedacted)
		count := len(all) + more
		if subjectOf(recorded) != subject {
			count += 1000 // a different tool counts as a greater distance than different arguments
		}
		if nearest < 0 || count < best {
			nearest, differences, best = i, all, count
		}
	}
	return nearest, differences
}

func orObject(params []byte) []byte {
	if len(params) == 0 {
		return []byte("{}")
	}
	return params
}
