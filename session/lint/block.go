package lint

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// block is a content block.
type block struct {
	raw   []byte
	kind  string // its type
	at    Place
	index int // in its list
	place revision.Place
}

var (
	blockMethods     = askMethods
	dataMethods      = askMethods
	annotatedMethods = append([]string{"resources/list", "resources/templates/list"}, askMethods...)
)

// blocks walks over the content blocks of a message, wherever they may be.
func blocks(c *Context) iter.Seq[block] {
	return func(yield func(block) bool) {
		m := c.M
		switch {
		case m.Method == "tools/call" && c.M.isToolResult():
			if !blocksIn(Member(m.Result, "content"), At("result", "content"), revision.ToolResults, yield) {
				return
			}
		case m.Method == "prompts/get" && m.IsResult():
			if !blocksOfMessages(m.Result, At("result"), revision.Prompts, yield) {
				return
			}
		}
		for a := range asks(c, "sampling/createMessage") {
			if !blocksOfMessages(a.params, a.at, revision.Sampling, yield) {
				return
			}
		}
		for r := range replies(c, "sampling/createMessage") {
			if !blocksIn(Member(r.result, "content"), below(r.at, "/content"), revision.Sampling, yield) {
				return
			}
		}
	}
}

func blocksOfMessages(holder []byte, at Place, place revision.Place, yield func(block) bool) bool {
	i := 0
	for message := range jsonrpc.Elements(Member(holder, "messages")) {
		content := Member(message, "content")
		if Kind(content) == "object" || place == revision.Sampling {
			if !blocksIn(content, below(at, fmt.Sprintf("/messages/%d/content", i)), place, yield) {
				return false
			}
		}
		i++
	}
	return true
}

// blocksIn walks over one block or a list of them, and over what is in results
// of tools.
func blocksIn(content []byte, at Place, place revision.Place, yield func(block) bool) bool {
	switch Kind(content) {
	case "object":
		return blockAndInner(block{content, Text(content, "type"), at, 0, place}, yield)
	case "array":
		i := 0
		for b := range jsonrpc.Elements(content) {
			if b[0] == '{' && !blockAndInner(block{b, Text(b, "type"), below(at, fmt.Sprint("/", i)), i, place}, yield) {
				return false
			}
			i++
		}
	}
	return true
}

func blockAndInner(b block, yield func(block) bool) bool {
	if !yield(b) {
		return false
	}
	if b.kind == "tool_result" && b.place == revision.Sampling {
		if inner := Member(b.raw, "content"); Kind(inner) == "array" {
			return blocksIn(inner, below(b.at, "/content"), revision.ToolResults, yield)
		}
	}
	return true
}

// contentTypes are those of one place in one revision, looked up once.
type contentTypes struct {
	of map[contentPlace][]revision.Content
}

type contentPlace struct {
	r  revision.Revision
	in revision.Place
}

func typesIn(c *Context, in revision.Place) []revision.Content {
	types := Own[contentTypes](c.St)
	key := contentPlace{c.M.Revision, in}
	if !key.r.Known() {
		key.r = "" // any of those that nobody knows
	}
	found, ok := types.of[key]
	if !ok {
		if types.of == nil {
			types.of = map[contentPlace][]revision.Content{}
		}
		found = revision.Contents(key.r, in)
		types.of[key] = found
	}
	return found
}

// contentType finds the type of a block among those of the revision.
func contentType(c *Context, b block) (revision.Content, bool) {
	for _, t := range typesIn(c, b.place) {
		if t.Type == b.kind {
			return t, true
		}
	}
	return revision.Content{}, false
}

func blockTypes(c *Context) {
	for b := range blocks(c) {
		if _, known := contentType(c, b); known {
			continue
		}
		var names []string
		for _, t := range typesIn(c, b.place) {
			names = append(names, t.Type)
		}
		got, at := "none", b.at
		if t := Member(b.raw, "type"); t != nil {
			got, at = shownValue(t), below(b.at, "/type")
		}
		speaks := escaped(c.M.Revision)
		if speaks == "" {
			speaks = "MCP"
		}
		c.Report(at, "index", b.index+1, "got", got, "revision", speaks, "list", strings.Join(names, ", "))
	}
}

// wants is the JSON type of members of blocks.
var wants = map[string]string{"resource": "object", "input": "object", "content": "array"}

func blockMembers(c *Context) {
	for b := range blocks(c) {
		t, known := contentType(c, b)
		if !known {
			continue
		}
		for _, member := range t.Required {
			want := wants[member]
			if want == "" {
				want = "string"
			}
			value := Member(b.raw, member)
			switch {
			case value == nil:
				c.Report(b.at, "type", b.kind, "field", member)
			case Kind(value) != want:
				c.Report(below(b.at, "/"+member), "type", b.kind, "field", fmt.Sprintf("%s to be %s, found %s", member, withArticle(want), kindOf(value)))
			}
		}
	}
}

// annotationValues looks at blocks, resources and templates.
func annotationValues(c *Context) {
	for b := range blocks(c) {
		c.annotations(b.raw, b.at)
		if b.kind == "resource" {
			c.annotations(Member(b.raw, "resource"), below(b.at, "/resource"))
		}
	}
	if list, ok := lists[c.M.Method]; ok && c.M.IsResult() {
		i := 0
		for item := range jsonrpc.Elements(Member(c.M.Result, list)) {
			c.annotations(item, At("result", list, i))
			i++
		}
	}
}

func (c *Context) annotations(holder []byte, at Place) {
	notes := Member(holder, "annotations")
	if Kind(notes) != "object" {
		return
	}
	found := func(path string, value []byte) {
		c.Report(below(at, "/annotations/"+path), "path", strings.ReplaceAll(path, "/", "."), "got", shownValue(value))
	}
	if audience := Member(notes, "audience"); audience != nil && audience[0] != '[' {
		found("audience", audience)
	} else {
		i := 0
		for who := range jsonrpc.Elements(audience) {
			if s := string(who); s != `"user"` && s != `"assistant"` {
				found(fmt.Sprint("audience/", i), who)
			}
			i++
		}
	}
	if priority := Member(notes, "priority"); priority != nil && !isShare(priority) {
		found("priority", priority)
	}
	if at := Member(notes, "lastModified"); at != nil && !c.M.Revision.Before(revision.R20250618) && !isISOTime(at) {
		found("lastModified", at)
	}
}

// isShare reports a number from 0 to 1.
func isShare(raw []byte) bool {
	if Kind(raw) != "number" {
		return false
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	return err == nil && v >= 0 && v <= 1
}

func isISOTime(raw []byte) bool {
	s, ok := jsonrpc.Unquote(raw)
	_, isTime := isoTime(s)
	return ok && isTime
}
