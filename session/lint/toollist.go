package lint

import (
	"iter"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
)

// toolsOf walks over the tools of a page.
func toolsOf(c *Context) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		if !c.M.IsResult() {
			return
		}
		i := 0
		for tool := range jsonrpc.Elements(Member(c.M.Result, "tools")) {
			if !yield(i, tool) {
				return
			}
			i++
		}
	}
}

// toolObjects walks over those that are objects.
func toolObjects(c *Context) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for i, tool := range toolsOf(c) {
			if Kind(tool) == "object" && !yield(i, tool) {
				return
			}
		}
	}
}

// atTool is a place in a tool of a page.
func atTool(i int, more ...any) Place { return At(append([]any{"result", "tools", i}, more...)...) }

// toolName is what a sentence calls a tool.
func toolName(tool []byte) string {
	if name := Text(tool, "name"); name != "" {
		return escaped(name)
	}
	return "without a name"
}

func toolsNotArray(c *Context) {
	if !c.M.IsResult() || !c.M.Complete() || Kind(c.M.Result) == "null" {
		return
	}
	tools := Member(c.M.Result, "tools")
	switch {
	case Kind(c.M.Result) != "object":
		c.Report(At("result"), "got", kindOf(c.M.Result)+" in place of the result")
	case tools == nil:
		c.Report(At("result"), "got", "none")
	case tools[0] != '[':
		c.Report(At("result", "tools"), "got", kindOf(tools))
	}
}

func toolWithoutName(c *Context) {
	for i, tool := range toolsOf(c) {
		if Text(tool, "name") == "" {
			c.Report(atTool(i), "index", i+1)
		}
	}
}

// toolTwice compares each page with those before it.
func toolTwice(c *Context) {
	box := Own[toolbox](c.St)
	if !c.M.IsResult() || !box.orderly {
		return
	}
	if box.names == nil {
		box.names = map[string]bool{}
	}
	for i, tool := range toolsOf(c) {
		name := Text(tool, "name")
		if name != "" && box.names[name] {
			c.Report(atTool(i, "name"), "name", escaped(name))
		}
		box.names[name] = true
	}
}

// maxToolName is how long a tool's name should be at most, in characters.
const maxToolName = 128

func toolNameChars(c *Context) {
	for i, tool := range toolObjects(c) {
		name := Text(tool, "name")
		odd := strings.IndexFunc(name, func(r rune) bool {
			letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
			return !letter && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.'
		})
		switch {
		case odd >= 0:
			char := []rune(name[odd:])[0]
			c.Report(atTool(i, "name"), "name", escaped(name), "char", escaped(string(char)))
		case len(name) > maxToolName:
			c.Report(atTool(i, "name"), "name", escaped(name), "char", "others than A-Z a-z 0-9 _ - .")
		}
	}
}

func noInputSchema(c *Context) {
	for i, tool := range toolObjects(c) {
		schema := Member(tool, "inputSchema")
		switch {
		case schema == nil:
			c.Report(atTool(i), "name", toolName(tool))
		case schema[0] != '{':
			c.Report(atTool(i, "inputSchema"), "name", toolName(tool))
		}
	}
}

func inputSchemaRoot(c *Context) {
	for i, tool := range toolObjects(c) {
		schema := Member(tool, "inputSchema")
		if Kind(schema) != "object" || Text(schema, "type") == "object" {
			continue
		}
		at := atTool(i, "inputSchema")
		if has(schema, "type") {
			at = below(at, "/type")
		}
		c.Report(at, "name", toolName(tool))
	}
}

func noDescription(c *Context) {
	for i, tool := range toolObjects(c) {
		if strings.TrimSpace(Text(tool, "description")) == "" {
			c.Report(atTool(i), "name", toolName(tool))
		}
	}
}

// requiredNowhere looks only at schemas that say all of their properties in
// one place.
func requiredNowhere(c *Context) {
	for i, tool := range toolObjects(c) {
		for _, which := range []string{"inputSchema", "outputSchema"} {
			schema := membersByName(Member(tool, which))
			if Kind(schema["required"]) != "array" || saysMore(schema) {
				continue
			}
			properties := membersByName(schema["properties"])
			k := 0
			for name := range jsonrpc.Elements(schema["required"]) {
				if s, ok := jsonrpc.Unquote(name); ok && properties[s] == nil {
					c.Report(atTool(i, which, "required", k), "prop", escaped(s))
				}
				k++
			}
		}
	}
}

// saysMore reports whether properties may be described elsewhere in a schema.
func saysMore(schema map[string][]byte) bool {
	for _, keyword := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"} {
		if schema[keyword] != nil {
			return true
		}
	}
	return Kind(schema["additionalProperties"]) == "object"
}

var hintNames = []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}

func hintsConflict(c *Context) {
	for i, tool := range toolObjects(c) {
		hints := Member(tool, "annotations")
		if string(Member(hints, "readOnlyHint")) == "true" && string(Member(hints, "destructiveHint")) == "true" {
			c.Report(atTool(i, "annotations", "destructiveHint"), "reason", "contradict each other: read-only and destructive")
		}
		for _, name := range hintNames {
			if kind := Kind(Member(hints, name)); kind != "" && kind != "boolean" {
				c.Report(atTool(i, "annotations", name), "reason", "cannot be read: "+name+" has the type "+kind+" and not boolean")
			}
		}
	}
}

func toolsReordered(c *Context) {
	box, list := Own[toolbox](c.St), c.St.Tools()
	if !c.M.IsResult() || list == nil || !list.Complete || !box.orderly || !box.unchanged || len(list.Before) != len(list.Items) {
		return
	}
	var now []string
	for _, item := range list.Items {
		now = append(now, Text(item, "name"))
	}
	if slices.Equal(now, list.Before) {
		return
	}
	before := slices.Sorted(slices.Values(list.Before))
	if slices.Sort(now); slices.Equal(now, before) {
		c.Report(At("result", "tools"))
	}
}
