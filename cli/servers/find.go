package servers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mcptea/check/modelview"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/internal/words/search"
	"mcptea/offer"
)

// Found is a tool that servers --find lists.
type Found struct {
	Name           string   `json:"name"`                  // name of the tool
	Title          string   `json:"title,omitempty"`       // title of the tool, if it is not the name
	Description    string   `json:"description,omitempty"` // complete description of the tool
	modelview.Cost          // cost of its definition in a model's context
	Also           []string `json:"also,omitempty"` // ids of the other servers that have a tool of this name
}

// finder lists the tools of all servers whose name, title, description or parameters contain words.
type finder struct {
	words         search.Words
	serversByTool map[string][]string // ids of servers by the name of a tool
}

// newFinder returns a finder for the value of --find: words between blanks. No words find every tool.
func newFinder(text string) *finder {
	return &finder{words: search.Of(text), serversByTool: map[string][]string{}}
}

// finds reports whether all words are in the name, the title or the description of a tool, or in the names, titles
// and descriptions of its parameters. Other members of the definition, such as readOnlyHint, are not text about it.
func (f *finder) finds(it *offer.Item) bool {
	parts := []string{it.Name, it.Title, it.Description}
	for name, parameter := range jsonrpc.Members(jsonrpc.Get(it.Raw, "inputSchema", "properties")) {
		parts = append(parts, string(name), jsonrpc.Text(parameter, "title"), jsonrpc.Text(parameter, "description"))
	}
	return f.words.In(parts...)
}

// add records the tools of a connected server. The tools that contain the words are added to its
// row.
func (f *finder) add(c *Connected) {
	for i := range c.items {
		it := &c.items[i]
		if ids := f.serversByTool[it.Name]; !slices.Contains(ids, c.ID) {
			f.serversByTool[it.Name] = append(ids, c.ID)
		}
		if !f.finds(it) {
			continue
		}
		found := Found{Name: it.Name, Description: it.Description, Cost: modelview.CostOf(it.Raw)}
		if it.Title != it.Name {
			found.Title = it.Title
		}
		c.Found = append(c.Found, found)
	}
}

// inHost returns the ids of the other servers of a host that have a tool of this name: a model of that host sees both.
func (t *Found) inHost(host string) (ids []string) {
	for _, id := range t.Also {
		if strings.HasPrefix(id, host+"/") {
			ids = append(ids, id)
		}
	}
	return ids
}

// compare sets which other servers have a tool of the same name. All servers must have been added before.
func (f *finder) compare(c *Connected) {
	for i := range c.Found {
		t := &c.Found[i]
		t.Also = slices.DeleteFunc(slices.Clone(f.serversByTool[t.Name]), func(id string) bool { return id == c.ID })
	}
}

// printFound waits for all servers, and prints the tools that contain the words of --find below their server. The
// servers that are not connected are listed with their reasons, after the tools.
func (p *commands) printFound(rows []*Connected, done []chan struct{}, f *finder) error {
	for i, c := range rows {
		<-done[i] // connecting ends with the context
		f.add(c)
	}
	if p.Ctx.Err() != nil {
		return context.Cause(p.Ctx)
	}
	width, tools, found, servers := 0, 0, 0, 0
	for _, c := range rows {
		f.compare(c)
		for i := range c.Found {
			width = max(width, min(display.Width(display.Sanitize(c.Found[i].Name)), maxToolName))
		}
		if c.OK {
			tools, servers = tools+*c.Tools, servers+1
		}
		found += len(c.Found)
	}
	if p.JSON {
		return p.printRows(rows, nil)
	}
	for _, c := range rows {
		if err := p.printTools(c, width); err != nil {
			return err
		}
	}
	if servers > 0 {
		if err := p.Out.Line(fmt.Sprintf("%s of %s on %s", phrase.Digits(found), phrase.Count(tools, "tool"), phrase.Count(servers, "server"))); err != nil {
			return err
		}
	}
	return p.printRows(slices.DeleteFunc(slices.Clone(rows), func(c *Connected) bool { return c.OK }), nil)
}

// maxToolName is the number of cells of a tool's name; longer ones are cut.
const maxToolName = 32

// printTools prints the tools of a server that were found: name, tokens, the first line of the description, and the
// servers that have a tool of the same name.
func (p *commands) printTools(c *Connected, width int) error {
	if len(c.Found) == 0 {
		return nil
	}
	err := p.Out.Line(p.Out.Strong(display.Sanitize(c.ID)))
	for i := range c.Found {
		t := &c.Found[i]
		name := display.Cut(display.Sanitize(t.Name), maxToolName)
		label := "  " + p.Out.Name(name) + strings.Repeat(" ", max(0, width-display.Width(name))+2)
		cost := fmt.Sprintf("%-20s  ", t.Tokens()+" tokens")
		description := display.Cut(phrase.OneLine(display.Sanitize(t.Description)), max(20, p.Out.Width-width-len(cost)-4))
		if p.Out.Width == 0 {
			description = phrase.OneLine(display.Sanitize(t.Description))
		}
		err = p.Out.Line(strings.TrimRight(label+p.Out.Faint(cost)+description, " "))
		if also := t.inHost(c.server.Host); len(also) > 0 {
			text := "The same name is in " + phrase.JoinFirst(also, 3) + "."
			err = p.Out.Line(p.Out.Labeled(strings.Repeat(" ", width+4)+p.Out.Warn("⚠")+" ", display.Sanitize(text), p.Out.Width))
		}
	}
	if err == nil {
		err = p.Out.Line("")
	}
	return err
}
