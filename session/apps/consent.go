package apps

import (
	"net/url"
	"os"

	"mcptea/internal/words/phrase"
	"mcptea/session/question/consent"
)

// Consent shows what the app asks for in full. from names the app, and server is what its calls go
// to. The texts are untrusted.
func (q *Question) Consent(from, server string) consent.Text {
	facts := []consent.Fact{{Label: "from", Text: from}}
	switch q.Kind {
	case AskCall:
		return consent.Call(from, server, q.Call)
	case AskLink:
		t := consent.Text{Facts: facts, Name: "URL", Lines: []string{q.URL}, Short: "Open in your browser a page of"}
		if u, err := url.Parse(q.URL); err == nil {
			t.Subject = u.Host
		}
		return t
	}
	dir, _ := os.Getwd()
	facts = append(facts, consent.Fact{Label: "to", Text: dir}, consent.Fact{Label: "size", Text: phrase.Size(int64(q.Size))})
	return consent.Text{Facts: facts, Name: "name of the file", Lines: []string{q.Name}, Short: "Save", Subject: q.Name}
}
