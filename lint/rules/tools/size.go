package tools

import (
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

const (
	// maxToModel is the number of characters of a result that Claude Code hands to a model by default.
	maxToModel = 50_000
	// mostToModel is the largest number of characters that a tool can request.
	mostToModel = 500_000
)

// resultOverHostLimit reports a result with more text than a host hands to a model.
func resultOverHostLimit(c *lint.Context) {
	if len(c.M.Result) <= maxToModel || c.M.IsToolError() {
		return
	}
	characters := 0
	for text := range c.M.TextBlocks() {
		characters += utf8.RuneCountInString(text)
	}
	name := c.M.Request.Name
	limit := mostToModel // maximum for an unknown tool, which may have requested more
	if tool, known := c.ListedTool(name); known {
		limit = toModel(tool)
	}
	if characters > limit {
		c.Report(lint.At("result", "content"), "name", lint.Escaped(name), "count", phrase.Digits(characters), "limit", phrase.Digits(limit))
	}
}

// toModel returns the number of characters of a result of a tool that Claude Code hands to a model. tool is the entry of
// the tool, or nil if the list does not have it.
func toModel(tool []byte) int {
	asks, ok := jsonrpc.Integer(jsonrpc.Get(tool, "_meta", "anthropic/maxResultSizeChars"))
	if !ok {
		return maxToModel
	}
	return int(min(max(asks, maxToModel), mostToModel))
}
