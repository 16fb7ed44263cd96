package dialog

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"strings"

	"mcptea/client"
	"mcptea/internal/words/phrase"
	"mcptea/session/apps"
)

// Call shows a call in full. The texts are untrusted.
func Call(from, server string, p client.Proposal) Consent {
	text, formatted := p.Text, bytes.Buffer{}
	if json.Indent(&formatted, []byte(text), "", "  ") == nil {
		text = formatted.String() // blanks between tokens alone
	}
	return Consent{
		Facts: []Fact{{Label: "from", Text: from}, {Label: "calls", Text: p.Calls, Strong: true}, {Label: "on", Text: server}},
		Name:  p.Part, Lines: strings.Split(text, "\n"),
		Short: "Allow the call of", Subject: p.Calls,
	}
}

// AppQuestion shows what an app asks for in full. from names the app, and server is what its
// calls go to. The texts are untrusted.
func AppQuestion(from, server string, q apps.Question) Consent {
	var c Consent
	facts := []Fact{{Label: "from", Text: from}}
	switch q.Kind {
	case apps.AskCall:
		c = Call(from, server, q.Call)
		c.Title, c.Yes, c.No = "Allow this call?", "allow once", "decline"
	case apps.AskLink:
		c = Consent{Facts: facts, Name: "URL", Lines: []string{q.URL}}
		c.Title, c.Yes, c.No = "Open this page in your browser?", "open", "do not open"
		c.Short = "Open in your browser a page of"
		if u, err := url.Parse(q.URL); err == nil {
			c.Subject = u.Host
		}
	default:
		dir, _ := os.Getwd()
		facts = append(facts, Fact{Label: "to", Text: dir}, Fact{Label: "size", Text: phrase.Size(int64(q.Size))})
		c = Consent{Facts: facts, Name: "name of the file", Lines: []string{q.Name}}
		c.Title, c.Yes, c.No = "Save this file?", "save", "do not save"
		c.Short, c.Subject = "Save", q.Name
	}
	c.After, c.Deadline, c.Expires = "the app gets an error", q.Deadline, "mcptea declines in"
	return c
}
