package schemas

import (
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/checks/lint"
)

// block is a content block.
type block struct {
	raw   []byte
	kind  string // its type
	in    lint.Place
	index int // in the list that is there; -1 if the block is there
	place revision.Place
}

// at is made for findings only.
func (b *block) at() lint.Place {
	if b.index < 0 {
		return b.in
	}
	return lint.Below(b.in, fmt.Sprint("/", b.index))
}

// annotatedMethods are the methods of messages with annotations.
var annotatedMethods = append([]string{"resources/list", "resources/templates/list"}, inputMethods...)

// blockList is the content blocks of the message, wherever they may be.
type blockList []block

// blocks are those of the message, which watchBlocks has found.
func blocks(c *lint.Context) []block { return *lint.Own[blockList](c.St) }

func watchBlocks(c *lint.Context) {
	all := lint.Own[blockList](c.St)
	clear(*all)
	*all = (*all)[:0]
	switch m := c.M; {
	case m.Method == "tools/call" && m.IsToolResult():
		all.add(m, m.Get(m.Result, "content"), lint.AtPointer("/result/content"), revision.InToolResults)
	case m.Method == "prompts/get" && m.IsResult():
		all.addMessages(m, m.Result, lint.At("result"), revision.InPrompts)
	}
	for _, a := range c.ServerRequests(samplingCreateMessage) {
		all.addMessages(c.M, a.Params, a.At, revision.InSampling)
	}
	for _, r := range clientResponses(c, samplingCreateMessage) {
		all.add(c.M, jsonrpc.Get(r.result, "content"), lint.Below(r.at, "/content"), revision.InSampling)
	}
}

func (l *blockList) addMessages(m *lint.Message, holder []byte, at lint.Place, place revision.Place) {
	for i, message := range lint.Indexed(jsonrpc.Get(holder, "messages")) {
		content := jsonrpc.Get(message, "content")
		if jsonrpc.TypeOf(content) == "object" || place == revision.InSampling {
			l.add(m, content, lint.Below(at, fmt.Sprintf("/messages/%d/content", i)), place)
		}
	}
}

// add adds one block or an array of blocks, with those inside of tool results.
func (l *blockList) add(m *lint.Message, content []byte, at lint.Place, place revision.Place) {
	switch jsonrpc.TypeOf(content) {
	case "object":
		l.addBlock(m, block{content, m.Text(content, "type"), at, -1, place})
	case "array":
		for i, b := range m.Indexed(content) {
			if b[0] == '{' {
				l.addBlock(m, block{b, m.Text(b, "type"), at, i, place})
			}
		}
	}
}

func (l *blockList) addBlock(m *lint.Message, b block) {
	*l = append(*l, b)
	if b.kind != "tool_result" || b.place != revision.InSampling {
		return
	}
	if inner := m.Get(b.raw, "content"); jsonrpc.TypeOf(inner) == "array" {
		l.add(m, inner, lint.Below(b.at(), "/content"), revision.InToolResults)
	}
}

// contentTypes are the types of one place in one revision, looked up once. Most blocks are in
// the same place as the one before.
type contentTypes struct {
	of     map[contentPlace][]revision.Content
	newest contentPlace
	found  []revision.Content // of the newest place
}

// maxContentTypes is more than there are revisions and places.
const maxContentTypes = 100

type contentPlace struct {
	r  revision.Revision
	in revision.Place
}

func typesIn(c *lint.Context, in revision.Place) []revision.Content {
	types := lint.Own[contentTypes](c.St)
	key := contentPlace{c.M.Revision, in}
	if !key.r.Known() {
		key.r = "" // all unknown revisions
	}
	if key == types.newest {
		return types.found
	}
	found, ok := types.of[key]
	if !ok {
		found = revision.Contents(key.r, in)
		lint.Keep(&types.of, maxContentTypes, key, found)
	}
	types.newest, types.found = key, found
	return found
}

// contentType finds the type of a block among those of the revision.
func contentType(c *lint.Context, b block) (revision.Content, bool) {
	for _, t := range typesIn(c, b.place) {
		if t.Type == b.kind {
			return t, true
		}
	}
	return revision.Content{}, false
}

func blockTypes(c *lint.Context, b block) {
	if _, known := contentType(c, b); known {
		return
	}
	var names []string
	for _, t := range typesIn(c, b.place) {
		names = append(names, t.Type)
	}
	got, at := "none", b.at()
	if t := jsonrpc.Get(b.raw, "type"); t != nil {
		got, at = lint.ShownValue(t), lint.Below(b.at(), "/type")
	}
	version := lint.Escaped(c.M.Revision)
	if version == "" {
		version = "MCP"
	}
	c.Report(at, "index", max(b.index, 0)+1, "got", got, "revision", version, "list", strings.Join(names, ", "))
}

func blockMembers(c *lint.Context, b block) {
	t, known := contentType(c, b)
	if !known {
		return
	}
	for _, member := range t.Required {
		want, value := member.JSONType(), c.M.Get(b.raw, member.Name)
		switch {
		case value == nil:
			c.Report(b.at(), "type", b.kind, "field", member.Name)
		case jsonrpc.TypeOf(value) != want:
			c.Report(lint.Below(b.at(), "/"+member.Name), "type", b.kind, "field", fmt.Sprintf("%s to be %s, found %s", member.Name, lint.WithArticle(want), lint.KindOf(value)))
		}
	}
}

// annotationValues checks blocks, resources and templates.
func annotationValues(c *lint.Context) {
	if !c.M.Envelope.MayHave("annotations") {
		return
	}
	for _, b := range blocks(c) {
		annotations(c, b.raw, b.at())
		if b.kind == "resource" {
			annotations(c, jsonrpc.Get(b.raw, "resource"), lint.Below(b.at(), "/resource"))
		}
	}
	if list, ok := revision.ListOf(c.M.Method); ok && c.M.IsResult() {
		for i, item := range lint.Indexed(c.M.Get(c.M.Result, list.Member)) {
			annotations(c, item, lint.At("result", list.Member, i))
		}
	}
}

func annotations(c *lint.Context, holder []byte, at lint.Place) {
	notes := jsonrpc.Get(holder, "annotations")
	if jsonrpc.TypeOf(notes) != "object" {
		return
	}
	found := func(path string, value []byte) {
		c.Report(lint.Below(at, "/annotations/"+path), "path", strings.ReplaceAll(path, "/", "."), "got", lint.ShownValue(value))
	}
	if audience := jsonrpc.Get(notes, "audience"); audience != nil && audience[0] != '[' {
		found("audience", audience)
	} else {
		for i, entry := range lint.Indexed(audience) {
			if !jsonrpc.IsText(entry, "user") && !jsonrpc.IsText(entry, "assistant") {
				found(fmt.Sprint("audience/", i), entry)
			}
		}
	}
	if priority := jsonrpc.Get(notes, "priority"); priority != nil && !isPriority(priority) {
		found("priority", priority)
	}
	if at := jsonrpc.Get(notes, "lastModified"); at != nil && !c.M.Revision.Before(revision.R20250618) && !isISOTime(at) {
		found("lastModified", at)
	}
}

// isPriority reports a number from 0 to 1.
func isPriority(raw []byte) bool {
	v, ok := lint.Number(raw)
	return ok && v >= 0 && v <= 1
}

func isISOTime(raw []byte) bool {
	s, ok := jsonrpc.Unquote(raw)
	_, isTime := lint.ParseTime(s)
	return ok && isTime
}
