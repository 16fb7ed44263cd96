package lint

import (
	"mcptea/client/revision"
	"mcptea/session/schema/check"
)

// schemaRules judge schemas, structured content, content blocks and forms.
var schemaRules = []rule{
	{id: "S001", methods: listMethods, message: schemaProblems},
	{id: "S002", methods: listMethods, message: schemaProblems},
	{id: "S003", methods: listMethods, message: schemaProblems},
	{id: "S004", methods: listMethods, message: schemaProblems},

	{id: "S010", methods: callMethods, message: structuredMissing},
	{id: "S011", methods: callMethods, message: structuredMismatch},
	{id: "S012", methods: callMethods, message: func(c *Context) {
		if v := Member(c.M.Result, "structuredContent"); c.M.isToolResult() && v != nil && v[0] != '{' {
			c.Report(At("result", "structuredContent"), "got", kindOf(v))
		}
	}},
	{id: "S013", methods: listMethods, message: func(c *Context) {
		for i, tool := range toolObjects(c) {
			if s := Member(tool, "outputSchema"); s != nil && Text(s, "type") != "object" {
				c.Report(atTool(i, "outputSchema"))
			}
		}
	}},
	{id: "S014", methods: callMethods, message: func(c *Context) {
		if structured, said := saidTwice(c); structured != nil && said != saysSame {
			c.Report(At("result", "structuredContent"))
		}
	}},
	{id: "S015", methods: callMethods, message: func(c *Context) {
		if structured, said := saidTwice(c); structured != nil && said == saysOther {
			c.Report(At("result", "content"))
		}
	}},

	{id: "S020", methods: blockMethods, message: blockTypes},
	{id: "S021", methods: blockMethods, message: blockMembers},
	{id: "S022", methods: dataMethods, message: notBase64},
	{id: "S023", methods: dataMethods, message: otherMIME},
	{id: "S024", methods: annotatedMethods, message: annotationValues},
	{id: "S025", methods: iconMethods, message: badIcons},

	{id: "S030", methods: askMethods, message: formShape},
	{id: "S031", methods: askMethods, message: formKeywords},
	{id: "S032", methods: askMethods, message: formSecrets},
	{id: "S033", methods: askMethods, message: formAnswer},
	{id: "S034", methods: askMethods, message: formMismatch},
	{id: "S035", methods: askMethods, message: urlMembers},
	{id: "S036", methods: askMethods, message: urlRisks},

	{id: "S040", methods: askMethods, message: samplingRequest},
	{id: "S041", methods: askMethods, message: resultsMixed},
	{id: "S042", methods: askMethods, message: usesUnbalanced},
	{id: "S043", methods: askMethods, message: samplingResult},
	// After the rules that look for what was asked before.
	{methods: askMethods, after: watchQuestions},
}

// schemaFaults are the rules of what can be the matter with a schema.
var schemaFaults = map[check.Fault]string{check.Invalid: "S001", check.Dialect: "S002", check.Remote: "S003", check.Complex: "S004"}

// schemaProblems reports those that belong to the rule that asks.
func schemaProblems(c *Context) {
	for i, tool := range toolObjects(c) {
		for _, which := range []string{"inputSchema", "outputSchema"} {
			schema := Member(tool, which)
			if schema == nil || which == "inputSchema" && schema[0] != '{' {
				continue // T014 has said it
			}
			p := c.schema(schema, false).Problem()
			if p == nil || schemaFaults[p.Fault] != c.ruleID() {
				continue
			}
			c.Report(below(atTool(i, which), p.Path), "which", which, "name", toolName(tool), "reason", p.Reason,
				"got", escaped(p.Reason), "uri", escaped(p.Reason))
		}
	}
}

// promised is the outputSchema of the tool that a result is of; nil when there
// is none, or nothing is known.
func promised(c *Context) []byte {
	if !c.M.isToolResult() || c.M.Request == nil || hasFailed(c.M.Result) {
		return nil
	}
	tool, _ := c.listedTool(c.M.Request.Name)
	schema := Member(tool, "outputSchema")
	if Kind(schema) == "null" {
		return nil
	}
	return schema
}

func structuredMissing(c *Context) {
	if promised(c) != nil && !has(c.M.Result, "structuredContent") {
		c.Report(At("result"), "name", escaped(c.M.Request.Name))
	}
}

func structuredMismatch(c *Context) {
	value := Member(c.M.Result, "structuredContent")
	if value == nil || value[0] != '{' && c.M.Revision.Before(revision.R20260728) {
		return
	}
	schema := promised(c)
	if schema == nil {
		return
	}
	if m, _ := c.schema(schema, false).Check(value); m != nil {
		path := ""
		if m.About != "" {
			path = "/" + shownPath(m.About)
		}
		c.Report(below(At("result", "structuredContent"), m.Path), "path", path, "reason", "it "+m.Reason)
	}
}
