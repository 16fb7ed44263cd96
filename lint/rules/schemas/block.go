package schemas

import (
	"fmt"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// block is a content block.
type block struct {
	raw   []byte
	kind  string // type of the block
	in    lint.Place
	index int // index in the existing list; -1 if the block exists
}

// at returns the place of the block. It is computed only for findings.
func (b *block) at() lint.Place {
	if b.index < 0 {
		return b.in
	}
	return lint.Below(b.in, fmt.Sprint("/", b.index))
}

// annotatedMethods lists the methods of messages with annotations.
var annotatedMethods = append([]string{"resources/list", "resources/templates/list"}, inputMethods...)

// blockList is the content blocks of the message, wherever they may be.
type blockList []block

// blocks returns the blocks of the message, which watchBlocks has found.
func blocks(c *lint.Context) []block { return *lint.Own[blockList](c.St) }

func watchBlocks(c *lint.Context) {
	all := lint.Own[blockList](c.St)
	clear(*all)
	*all = (*all)[:0]
	switch m := c.M; {
	case m.Method == "tools/call" && m.IsToolResult():
		all.add(m, m.Get(m.Result, "content"), lint.AtPointer("/result/content"))
	case m.Method == "prompts/get" && m.IsResult():
		all.addMessages(m, m.Result, lint.At("result"))
	}
	for _, a := range c.ServerRequests(samplingCreateMessage) {
		all.addMessages(c.M, a.Params, a.At)
	}
	for _, r := range clientResponses(c, samplingCreateMessage) {
		all.add(c.M, jsonrpc.Get(r.result, "content"), lint.Below(r.at, "/content"))
	}
}

func (l *blockList) addMessages(m *lint.Message, holder []byte, at lint.Place) {
	for i, message := range lint.Indexed(jsonrpc.Get(holder, "messages")) {
		l.add(m, jsonrpc.Get(message, "content"), lint.Below(at, fmt.Sprintf("/messages/%d/content", i)))
	}
}

// add adds one block or an array of blocks, including those inside tool results.
func (l *blockList) add(m *lint.Message, content []byte, at lint.Place) {
	switch jsonrpc.TypeOf(content) {
	case "object":
		l.addBlock(m, block{content, m.Text(content, "type"), at, -1})
	case "array":
		for i, b := range m.Indexed(content) {
			if b[0] == '{' {
				l.addBlock(m, block{b, m.Text(b, "type"), at, i})
			}
		}
	}
}

func (l *blockList) addBlock(m *lint.Message, b block) {
	*l = append(*l, b)
	if b.kind != "tool_result" {
		return
	}
	if inner := m.Get(b.raw, "content"); jsonrpc.TypeOf(inner) == "array" {
		l.add(m, inner, lint.Below(b.at(), "/content"))
	}
}

// annotationTimes checks blocks, resources and templates.
func annotationTimes(c *lint.Context) {
	if !c.M.Envelope.MayHave("lastModified") {
		return
	}
	for _, b := range blocks(c) {
		annotationTime(c, b.raw, b.at())
		if b.kind == "resource" {
			annotationTime(c, jsonrpc.Get(b.raw, "resource"), lint.Below(b.at(), "/resource"))
		}
	}
	if list, ok := revision.ListOf(c.M.Method); ok && c.M.IsResult() {
		for i, item := range lint.Indexed(c.M.Get(c.M.Result, list.Member)) {
			annotationTime(c, item, lint.At("result", list.Member, i))
		}
	}
}

func annotationTime(c *lint.Context, holder []byte, at lint.Place) {
	raw := jsonrpc.Get(holder, "annotations", "lastModified")
	text, isText := jsonrpc.Unquote(raw)
	if _, isTime := lint.ParseTime(text); isText && !isTime && !c.M.Revision.Before(revision.R20250618) {
		here := lint.Below(at, "/annotations/lastModified")
		c.Report(here, "path", lint.DottedPath(here.Path()), "got", lint.ShownValue(raw))
	}
}
