package lint

import (
	"fmt"
	"iter"
	"strings"

	"mcptea/client/jsonrpc"
)

const sample = "sampling/createMessage"

// turn is a message of a conversation that a model is to continue.
type turn struct {
	raw     []byte
	role    []byte
	content [][]byte // its blocks
	at      Place
}

func turns(a asked) iter.Seq[turn] {
	return func(yield func(turn) bool) {
		i := 0
		for message := range jsonrpc.Elements(Member(a.params, "messages")) {
			t := turn{raw: message, role: Member(message, "role"), at: below(a.at, fmt.Sprint("/messages/", i))}
			switch content := Member(message, "content"); Kind(content) {
			case "object":
				t.content = [][]byte{content}
			case "array":
				for b := range jsonrpc.Elements(content) {
					t.content = append(t.content, b)
				}
			}
			if !yield(t) {
				return
			}
			i++
		}
	}
}

func samplingRequest(c *Context) {
	for a := range asks(c, sample) {
		if a.params != nil && a.params[0] != '{' {
			continue
		}
		at, wrong := a.at, ""
		for t := range turns(a) {
			if role := string(t.role); role != `"user"` && role != `"assistant"` {
				at, wrong = below(t.at, "/role"), shownValue(t.role)
				if t.role == nil {
					at, wrong = t.at, "none"
				}
				break
			}
		}
		var lacks []string
		if Kind(Member(a.params, "messages")) != "array" {
			lacks = append(lacks, "messages as an array")
		}
		if !IsInteger(Member(a.params, "maxTokens")) {
			lacks = append(lacks, "maxTokens as an integer")
		}
		switch {
		case len(lacks) == 0 && wrong == "":
			continue
		case len(lacks) == 0:
			lacks = []string{"nothing"}
		case wrong == "":
			wrong = "none that is wrong"
		}
		if a.params == nil {
			at = Whole
		}
		c.Report(at, "field", strings.Join(lacks, " and "), "got", wrong)
	}
}

func resultsMixed(c *Context) {
	for a := range asks(c, sample) {
		for t := range turns(a) {
			results := 0
			for _, b := range t.content {
				if Text(b, "type") == "tool_result" {
					results++
				}
			}
			if string(t.role) == `"user"` && results > 0 && results < len(t.content) {
				c.Report(below(t.at, "/content"))
			}
		}
	}
}

// usesUnbalanced compares each message with the one before it.
func usesUnbalanced(c *Context) {
	for a := range asks(c, sample) {
		var open []string
		var at Place
		settle := func(results map[string]bool) {
			for _, id := range open {
				if !results[id] {
					c.Report(at, "id", quoted(id))
				}
			}
			open = nil
		}
		for t := range turns(a) {
			results := map[string]bool{}
			var uses []string
			for _, b := range t.content {
				switch Text(b, "type") {
				case "tool_result":
					results[Text(b, "toolUseId")] = true
				case "tool_use":
					uses = append(uses, Text(b, "id"))
				}
			}
			settle(results)
			if string(t.role) == `"assistant"` {
				open, at = uses, t.at
			}
		}
		settle(nil)
	}
}

func samplingResult(c *Context) {
	for r := range replies(c, sample) {
		if Kind(r.result) != "object" || Kind(Member(r.result, "task")) == "object" {
			continue
		}
		var lacks []string
		for _, member := range []string{"role", "content", "model"} {
			if !has(r.result, member) {
				lacks = append(lacks, member)
			}
		}
		if len(lacks) > 0 {
			c.Report(r.at, "field", strings.Join(lacks, " and "))
		}
	}
}
