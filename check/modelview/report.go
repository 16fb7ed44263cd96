package modelview

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
	"mcptea/lint/sdks"
	"mcptea/offer/declared"
)

// Report is the tools of a server as a host hands them to a model.
type Report struct {
	Host     *Host
	Server   string // name of the server in the names of the tools, or "" if the host does not use it
	Tools    []Tool // tools in the order of the server
	Cost            // cost of the tools that are handed over
	Problems []Problem
	Errors   int // number of problems that are errors
}

// Tool is a tool as the model sees it.
type Tool struct {
	Name       string        // name on the server
	Sent       string        // the name that the model sees
	Definition []byte        // JSON as the host sends it
	LeftOut    bool          // the model does not see it
	Concerned  bool          // the tool has a problem
	Severity   lint.Severity // severity of the worst problem
	Cost
}

// Cost is the share of a model's context that a definition takes.
type Cost struct {
	Characters int `json:"characters"`  // characters of the definition's JSON
	Low        int `json:"tokens_low"`  // estimate with four characters per token
	High       int `json:"tokens_high"` // estimate with three characters per token
}

// Problem is a fact about the host that concerns tools of the server.
type Problem struct {
	*Fact
	Places []Place
	More   int // places that are not listed
}

// A Place is the place of a problem.
type Place struct {
	Tool  string `json:"tool,omitempty"`  // name as the server has it
	Other string `json:"other,omitempty"` // the tool that is similar
	Path  string `json:"path,omitempty"`  // JSON Pointer in the inputSchema, in the tool if the fact is sdk, or in the result of initialize if it is connect or instructions; long names in it are cut
	Found string `json:"found,omitempty"` // the value found there
}

// maxPlaces bounds the places of a problem.
const maxPlaces = 500

// builder collects the problems of a report.
type builder struct {
	*Report
	tool *Tool
	// quiet is set while a tool is rewritten that no model sees. No problems are reported for it.
	quiet bool
	lost  bool          // the host reads no tool of the list
	at    map[*Fact]int // the index of the problem of a fact, plus one
}

// A Server holds the data that a host reads from a server.
type Server struct {
	Name         string   // hosts use the name from their configuration
	Instructions string   // text for the model, or ""
	Initialize   []byte   // result of initialize, or nil
	Tools        [][]byte // the entries of tools/list
}

// Build rewrites the tools of a server for a host.
func Build(h *Host, server Server) Report {
	b := builder{Report: &Report{Host: h}, at: map[*Fact]int{}}
	if strings.Contains(h.Prefix, "{server}") {
		b.Server = server.Name
	}
	b.connect(server.Initialize)
	b.listChanged(server.Initialize)
	b.instructions(server.Instructions)
	b.Tools = make([]Tool, len(server.Tools))
	texts := make([]string, len(server.Tools))
	for i, raw := range server.Tools {
		b.tool = &b.Tools[i]
		b.tool.Name, texts[i] = jsonrpc.Text(raw, "name"), jsonrpc.Text(raw, "description")
		b.list(raw)
		b.resultLimit(raw)
		if declares, ok := declared.OfTool(raw); ok && !declares.ForModel {
			b.report("visibility", Place{})
			b.quiet = b.tool.LeftOut
		}
		b.rewrite(raw, texts[i])
		b.quiet = false
	}
	for i := range b.Tools {
		t := &b.Tools[i]
		if t.LeftOut = t.LeftOut || b.lost; !t.LeftOut {
			b.Characters += t.Characters
			b.Low += t.Low
			b.High += t.High
		}
	}
	b.tool = nil
	b.count()
	b.compare(texts)
	b.sort()
	return *b.Report
}

// sort puts the worst problems first, in the order of the facts, and notes the worst one of
// each tool.
func (b *builder) sort() {
	found, severity := b.Problems, map[string]lint.Severity{}
	b.Problems = nil
	for _, s := range []lint.Severity{lint.Error, lint.Warn, lint.Info} {
		for i := range b.Host.Facts {
			at := b.at[&b.Host.Facts[i]]
			if at == 0 || found[at-1].Severity() != s {
				continue
			}
			p := found[at-1]
			b.Problems = append(b.Problems, p)
			if s == lint.Error {
				b.Errors++
			}
			for _, place := range p.Places {
				for _, name := range []string{place.Tool, place.Other} {
					if _, ok := severity[name]; !ok {
						severity[name] = s
					}
				}
			}
		}
	}
	for i := range b.Tools {
		t := &b.Tools[i]
		t.Severity, t.Concerned = severity[t.Name]
	}
}

// each calls check with the facts about a subject.
func (b *builder) each(id string, check func(f *Fact)) {
	for i := range b.Host.Facts {
		if f := &b.Host.Facts[i]; f.ID == id {
			check(f)
		}
	}
}

// report notes a place for each fact about a subject.
func (b *builder) report(id string, p Place) { b.each(id, func(f *Fact) { b.note(f, p) }) }

// note adds a place to the problem of a fact.
func (b *builder) note(f *Fact, p Place) {
	if b.quiet {
		return
	}
	if b.tool != nil {
		p.Tool = b.tool.Name
		b.tool.LeftOut = b.tool.LeftOut || f.Effect == leftOut || f.Effect == hidden
	}
	b.lost = b.lost || f.Effect == noList && f.Severity() == lint.Error
	if b.at[f] == 0 {
		b.Problems = append(b.Problems, Problem{Fact: f})
		b.at[f] = len(b.Problems)
	}
	problem := &b.Problems[b.at[f]-1]
	if len(problem.Places) == maxPlaces {
		problem.More++
		return
	}
	problem.Places = append(problem.Places, p)
}

// connect checks whether the library of the host takes the result of initialize.
func (b *builder) connect(result []byte) {
	if b.Host.SDK == "" {
		return
	}
	for _, fault := range sdks.Named(b.Host.SDK).RefusesConnection(result) {
		b.report(connect, Place{Path: fault.Path, Found: fault.Found + " is not " + fault.Wants})
	}
}

// instructions checks how many characters of the instructions the host keeps.
func (b *builder) instructions(text string) {
	n := utf8.RuneCountInString(text)
	if n > 0 {
		b.report("instructions-ignored", Place{Path: "/instructions", Found: strconv.Itoa(n) + " characters"})
	}
	b.each("instructions", func(f *Fact) {
		if n > f.Max {
			b.note(f, Place{Path: "/instructions", Found: strconv.Itoa(n) + " characters"})
		}
	})
}

// listChanged checks whether the server declares that its tools may change, which a host may require to listen.
func (b *builder) listChanged(initialize []byte) {
	capabilities, _ := jsonrpc.Member(initialize, "capabilities")
	tools, offered := jsonrpc.Member(capabilities, "tools")
	switch declared, _ := jsonrpc.Member(tools, "listChanged"); {
	case offered && string(declared) == "true":
		b.report("list-ignored", Place{Path: "/capabilities/tools/listChanged"})
	case offered:
		b.report("list-changed", Place{Path: "/capabilities/tools"})
	}
}

// resultLimit checks the size of results that a tool allows.
func (b *builder) resultLimit(raw []byte) {
	meta, _ := jsonrpc.Member(raw, "_meta")
	text, _ := jsonrpc.Member(meta, "anthropic/maxResultSizeChars")
	n, err := strconv.Atoi(string(text))
	b.each("result", func(f *Fact) {
		if err == nil && f.Max > 0 && n > f.Max {
			b.note(f, Place{Path: "/_meta/anthropic~1maxResultSizeChars", Found: strconv.Itoa(n) + " characters"})
		}
	})
}

// list checks whether the library of the host takes the list with the tool.
func (b *builder) list(raw []byte) {
	if b.Host.SDK == "" {
		return
	}
	for _, fault := range sdks.Named(b.Host.SDK).Refuses(raw) {
		b.report("sdk", Place{Path: fault.Path, Found: fault.Found + " is not " + fault.Wants})
	}
}

// rewrite builds the definition of a tool, and checks everything that concerns only this tool.
func (b *builder) rewrite(raw []byte, text string) {
	h, t := b.Host, b.tool
	t.Sent = b.name()
	b.checkName()
	description, ok := jsonrpc.Member(raw, "description")
	if n := utf8.RuneCountInString(text); strings.TrimSpace(text) == "" {
		b.report("empty", Place{})
	} else {
		b.each("description", func(f *Fact) {
			if n > f.Max {
				b.note(f, Place{Found: strconv.Itoa(n) + " characters"})
			}
		})
		if h.Cut > 0 && n > h.Cut {
			description = jsonString(string([]rune(text)[:h.Cut]))
		}
	}
	d := []byte{'{'}
	if h.Type != "" {
		d = jsonrpc.AppendMember(d, "type", jsonString(h.Type))
	}
	d = jsonrpc.AppendMember(d, "name", jsonString(t.Sent))
	if ok {
		d = jsonrpc.AppendMember(d, "description", description)
	}
	input := jsonrpc.Get(raw, "inputSchema")
	if jsonrpc.Text(input, "type") != "object" {
		b.report("object", Place{Found: orMissing(jsonrpc.Get(input, "type"))})
	}
	d = append(jsonrpc.AppendMember(d, h.Schema, b.schema(input, text)), '}')
	t.Definition, t.Cost = d, CostOf(d)
	b.each("cost", func(f *Fact) {
		if t.Low > f.Max {
			b.note(f, Place{Found: t.Tokens() + " tokens"})
		}
	})
}

// orMissing returns a raw value, or "no type" if it is missing.
func orMissing(value []byte) string {
	if value == nil {
		return "no type"
	}
	return lint.ShownValue(value)
}

// jsonString returns a text as JSON.
func jsonString(text string) []byte { return []byte(jsonrpc.Quote(text)) }

// CostOf estimates a definition, which a host writes in its own way. Characters of Chinese,
// Japanese and Korean are about a token each; an escape in JSON is one character.
func CostOf(definition []byte) (c Cost) {
	wide, tokens := 0, jsonrpc.NewTokens(definition)
	for token := tokens.Next(); token != nil; token = tokens.Next() {
		if token[0] == '"' {
			c.Characters++ // the quote at the end, which the meaning lacks
		}
		for text := jsonrpc.TokenOf(token).Meaning(); len(text) > 0; c.Characters++ {
			r, n := utf8.DecodeRune(text)
			if text = text[n:]; r >= 0x2e80 {
				wide++
			}
		}
	}
	rest := c.Characters - wide
	c.Low, c.High = wide+(rest+3)/4, wide+(rest+2)/3
	return c
}
