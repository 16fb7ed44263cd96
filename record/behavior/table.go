package behavior

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/internal/words/phrase"
)

// A Row compares several clients in one respect.
type Row struct {
	Label string
	Cells []string // cells in the order of the clients
}

// Table compares clients. The texts of peers in the table are unchanged.
func Table(clients []*Client) (rows []Row) {
	add := func(label string, text func(*Client) string) {
		row := Row{Label: label}
		for _, c := range clients {
			row.Cells = append(row.Cells, text(c))
		}
		rows = append(rows, row)
	}
	add("client", (*Client).Title)
	add("server", func(c *Client) string { return orUnseen(c.Server) })
	add("requests version", func(c *Client) string { return orUnseen(strings.Join(c.Requested, ", then ")) })
	add("declares", func(c *Client) string {
		if len(c.Declared) == 0 && c.info != nil {
			return "nothing"
		}
		return orUnseen(strings.Join(c.Declared, ", "))
	})
	for _, method := range methodsOf(clients) {
		add(method, func(c *Client) string { return c.listWords(method) })
	}
	add("progress token", (*Client).tokenWords)
	add("cancels", (*Client).cancelWords)
	for _, method := range []string{client.MethodElicitation, client.MethodSampling, client.MethodRoots} {
		add(method, func(c *Client) string { return c.answerWords(method) })
	}
	if slices.ContainsFunc(clients, func(c *Client) bool { return c.Headers != nil }) {
		add("User-Agent", func(c *Client) string { return orUnseen(c.Headers["User-Agent"]) })
		add("omits headers", func(c *Client) string {
			if c.Headers == nil {
				return "not over HTTP"
			}
			if len(c.Omitted) == 0 {
				return "none"
			}
			return strings.Join(c.Omitted, ", ")
		})
	}
	return rows
}

const unseen = "not seen"

func orUnseen(text string) string {
	if text == "" {
		return unseen
	}
	return text
}

// methodsOf returns the lists that one of the clients has requested, in the order of the protocol.
func methodsOf(clients []*Client) (all []string) {
	for _, kind := range client.ListKinds {
		if slices.ContainsFunc(clients, func(c *Client) bool { return c.list(kind.Method) != nil }) {
			all = append(all, kind.Method)
		}
	}
	return all
}

func (c *Client) list(method string) *List {
	i := slices.IndexFunc(c.Lists, func(l List) bool { return l.Method == method })
	if i < 0 {
		return nil
	}
	return &c.Lists[i]
}

func (c *Client) listWords(method string) string {
	l := c.list(method)
	if l == nil {
		return "not requested"
	}
	words := []string{times(l.Fetched)}
	switch {
	case l.More > 0 && l.Pages == 0:
		words = append(words, "first page only")
	case l.Pages > 0:
		words = append(words, phrase.Count(l.Pages, "further page"))
	}
	switch {
	case l.Early > 0:
		words = append(words, fmt.Sprintf("%s within ttlMs", times(l.Early)))
	case l.Fetched > 1 && l.Limited > 0:
		words = append(words, "never within ttlMs")
	}
	if !l.Declared && c.Server != "" {
		words = append(words, "not declared by the server")
	}
	return strings.Join(words, ", ")
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return phrase.Digits(n) + " times"
}

func (c *Client) tokenWords() string {
	switch c.WithToken {
	case 0:
		if c.Calls == 0 {
			return "no call seen"
		}
		return fmt.Sprintf("in none of %s", phrase.Count(c.Calls, "call"))
	case c.Calls:
		return fmt.Sprintf("in each of %s", phrase.Count(c.Calls, "call"))
	}
	return fmt.Sprintf("in %s of %s", phrase.Digits(c.WithToken), phrase.Count(c.Calls, "call"))
}

func (c *Client) cancelWords() string {
	if c.Cancelled == 0 {
		return unseen
	}
	text := phrase.Count(c.Cancelled, "request")
	if len(c.CancelledAge) > 0 {
		shortest, longest := slices.Min(c.CancelledAge), slices.Max(c.CancelledAge)
		text += ", after " + phrase.Duration(time.Duration(shortest))
		if longest != shortest {
			text += " to " + phrase.Duration(time.Duration(longest))
		}
	}
	if w := c.Timeout; w != nil {
		text += ", timeout " + phrase.Duration(time.Duration(w.After).Round(100*time.Millisecond)) + " (frame " + strconv.Itoa(int(w.Frames[0]))
		if len(w.Frames) > 1 {
			text += " and " + strconv.Itoa(int(w.Frames[1]))
		}
		text += ")"
	}
	return text
}

func (c *Client) answerWords(method string) string {
	asked := c.Asked[method]
	if asked == 0 && len(c.Answers[method]) == 0 {
		return "not asked"
	}
	var words []string
	for _, a := range c.Answers[method] {
		how := a.How
		if how == "none" {
			how = "no answer"
		}
		if a.Times > 1 {
			how += " ×" + phrase.Digits(a.Times)
		}
		words = append(words, how)
	}
	return strings.Join(words, ", ")
}
