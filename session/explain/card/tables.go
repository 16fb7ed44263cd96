package card

import (
	_ "embed"
	"sync"

	"mcptea/client/revision"
	"mcptea/internal/catalog"
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
	t := &texts{
		codes: catalog.Read[entry](codesText), ranges: catalog.Read[entry](rangesText),
		topics: catalog.Read[topic](topicsText), methods: make(map[string]methodText),
	}
	for _, e := range catalog.Read[entry](statusesText) {
		if e.Code == nil {
			t.classes = append(t.classes, e)
		} else {
			t.statuses = append(t.statuses, e)
		}
	}
	for _, m := range catalog.Read[methodText](methodsText) {
		t.methods[m.Name] = m
	}
	return t
})

// methods returns the methods of all revisions, also those embedded in a result.
func methods() []revision.Method { return revision.Methods("", revision.Both) }
