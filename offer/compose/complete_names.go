package compose

import (
	"encoding/json"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/schema"
	"mcptea/offer"
)

// paramValues returns values for a member of the params.
func (o *Completer) paramValues(method string, path []string) []Candidate {
	switch where := strings.Join(path, "/"); {
	case where == "name" && method == "tools/call":
		return o.toolNames()
	case where == "name" && method == "prompts/get", where == "ref/name":
		return o.promptNames(where == "name")
	case where == "uri", where == "ref/uri":
		return o.uris(where == "ref/uri")
	case where == "ref/type":
		return []Candidate{{Text: `"ref/prompt"`, Label: "ref/prompt"}, {Text: `"ref/resource"`, Label: "ref/resource"}}
	case where == "level":
		var found []Candidate
		for _, level := range revision.Levels() {
			found = append(found, Candidate{Text: quote(level), Label: level})
		}
		return found
	}
	return nil
}

func (o *Completer) items(kind string) []offer.Item { return o.Lists[kind].Items }

// names holds the candidates of one version of a list. There may be thousands.
type names struct {
	loaded time.Time
	count  int
	list   []Candidate
}

func (o *Completer) toolNames() []Candidate {
	items := o.items("tools")
	if loaded := o.Lists["tools"].Loaded; o.tools.loaded != loaded || o.tools.count != len(items) {
		o.tools = names{loaded, len(items), toolCandidates(items)}
	}
	return o.tools.list
}

func toolCandidates(items []offer.Item) []Candidate {
	found := make([]Candidate, 0, len(items))
	for _, item := range items {
		found = append(found, Candidate{
			Text: quote(item.Name), Label: item.Name, Detail: item.Description,
			Form: func() schema.Form { return schema.Parse(item.Member("inputSchema")) },
		})
	}
	return found
}

func (o *Completer) promptNames(withArguments bool) []Candidate {
	var found []Candidate
	for _, item := range o.items("prompts") {
		c := Candidate{Text: quote(item.Name), Label: item.Name, Detail: item.Description}
		if withArguments {
			c.Form = func() schema.Form { return promptForm(item) }
		}
		found = append(found, c)
	}
	return found
}

func (o *Completer) uris(templates bool) []Candidate {
	var found []Candidate
	for _, item := range o.items("resources") {
		found = append(found, Candidate{Text: quote(item.URI), Label: item.URI, Detail: item.Name})
	}
	for _, item := range o.items("templates") {
		c := Candidate{Text: quote(item.URI), Label: item.URI, Detail: item.Name}
		if !templates {
			c.Detail = "template  " + c.Detail
		}
		found = append(found, c)
	}
	return found
}

func promptForm(item offer.Item) schema.Form {
	var list []schema.Argument
	for raw := range jsonrpc.Elements(item.Member("arguments")) {
		var a schema.Argument
		_ = json.Unmarshal(raw, &a) // names that are not strings are left out
		if a.Name != "" {
			list = append(list, a)
		}
	}
	return schema.FromArguments(list)
}
