package card

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"mcptea/client/revision"
)

//go:embed codes.jsonl
var codesText []byte

//go:embed ranges.jsonl
var rangesText []byte

//go:embed statuses.jsonl
var statusesText []byte

//go:embed methods.jsonl
var methodsText []byte

//go:embed topics.jsonl
var topicsText []byte

// texts are the parsed tables.
type texts struct {
	codes, ranges     []entry
	statuses, classes []entry
	methods           map[string]methodText
	topics            []topic
}

var tables = sync.OnceValue(func() *texts {
	t := &texts{codes: read[entry](codesText), ranges: read[entry](rangesText), methods: make(map[string]methodText)}
	for _, e := range read[entry](statusesText) {
		if e.Code == nil {
			t.classes = append(t.classes, e)
		} else {
			t.statuses = append(t.statuses, e)
		}
	}
	for _, m := range read[methodText](methodsText) {
		t.methods[m.Name] = m
	}
	t.topics = read[topic](topicsText)
	return t
})

// read parses a table with one entry in each line.
func read[T any](lines []byte) []T {
	var all []T
	for line := range bytes.Lines(lines) {
		var one T
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&one); err != nil {
			panic(fmt.Sprintf("the tables of cards: %v in %s", err, line)) // a test reads them all
		}
		all = append(all, one)
	}
	return all
}

// methods returns the methods of all revisions, also those embedded in a result.
func methods() []revision.Method { return revision.Methods("", revision.Both) }
