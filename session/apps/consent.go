package apps

import (
	"net/url"
	"os"

	"mcptea/internal/words/phrase"
	"mcptea/session/question"
)

// Consent shows the request of the app in full. from names the app, and server the recipient of its calls. The
// texts are untrusted.
func (q *Question) Consent(from, server string) question.Text {
	facts := []question.Fact{{Label: "from", Text: from}}
	switch q.Kind {
	case AskCall:
		return question.Call(from, server, q.Call)
	case AskLink:
		t := question.Text{Facts: facts, Name: "URL", Lines: []string{q.URL}, Short: "Open in your browser a page of"}
		if u, err := url.Parse(q.URL); err == nil {
			t.Subject = u.Host
		}
		return t
	}
	dir, _ := os.Getwd()
	facts = append(facts, question.Fact{Label: "to", Text: dir}, question.Fact{Label: "size", Text: phrase.Size(int64(q.Size))})
	return question.Text{Facts: facts, Name: "name of the file", Lines: []string{q.Name}, Short: "Save", Subject: q.Name}
}
