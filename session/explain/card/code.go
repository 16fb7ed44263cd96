package card

import (
	"net/http"
	"slices"
	"strconv"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// OfCode returns the card of an error code.
func OfCode(code int64, w Where) Card {
	c := Card{Kind: Code, Key: strconv.FormatInt(code, 10), Meanings: meanings(Code, code, w), See: []string{"code"}}
	standard := slices.ContainsFunc(covering(Code, code), func(e *entry) bool { return e.Origin == "jsonrpc" })
	for _, r := range covering(codeRange, code) {
		if !r.has(w.Revision) {
			continue
		}
		c.lieIn(r, standard)
		if w.Wire && len(c.Meanings) > 0 && !slices.ContainsFunc(c.Meanings, func(m Meaning) bool { return !m.Local }) {
			// The known meanings are local to mcptea, but this code crossed the wire, so it has another meaning.
			c.Meanings = append([]Meaning{r.meaning(w)}, c.Meanings...)
		}
	}
	if len(c.Meanings) > 0 {
		c.Title, c.Cause, c.Check = c.Meanings[0].Name, "", ""
	} else {
		c.Title = "no known meaning"
		c.What = append([]string{"No known implementation uses this code."}, c.What...)
	}
	if code >= lowestStatus && code <= highestStatus {
		c.See = append(c.See, "HTTP "+c.Key)
	}
	return c
}

// OfError returns the card for the error code in a frame, or in the head of a large frame. It adds the details
// that the error contains.
func OfError(frame []byte, w Where) (Card, bool) {
	object, ok := jsonrpc.Start(frame, "error")
	if !ok {
		return Card{}, false
	}
	if message, ok := jsonrpc.Member(object, "message"); ok {
		w.Message, _ = jsonrpc.Unquote(message)
	}
	if data, ok := jsonrpc.Start(object, "data"); ok {
		for name := range jsonrpc.Members(data) {
			w.Data = append(w.Data, string(name))
		}
	}
	raw, ok := jsonrpc.Member(object, "code")
	if !ok {
		return noCode("error.code"), true
	}
	code, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return noCode("error.code"), true // do not repeat the peer's text
	}
	return OfCode(code, w), true
}

// lieIn adds the explanation of the range that a code is in.
func (c *Card) lieIn(r *entry, standard bool) {
	if standard && r.Origin == "article" {
		return // it has a well-known meaning
	}
	c.fact("range", r.Name)
	c.Private = c.Private || r.Private
	if c.Cause == "" {
		c.Cause, c.Check = r.Cause, r.Check
	}
	switch {
	case standard: // the range is reserved for such codes
	case r.span == span{}:
		c.What = append(c.What, r.Means)
	default:
		c.Notes = append(c.Notes, Note{revision.Words(r.in()), r.Means})
	}
}

const lowestStatus, highestStatus = 100, 599

// OfStatus returns the card of an HTTP status.
func OfStatus(status int, w Where) Card {
	c := Card{Kind: Status, Key: strconv.Itoa(status), Title: http.StatusText(status)}
	if c.Title == "" {
		c.Title = "no status that HTTP knows"
	}
	c.Meanings = meanings(Status, int64(status), w)
	if len(c.Meanings) == 0 {
		c.Meanings = meanings(statusClass, int64(status), w)
	}
	return c
}
