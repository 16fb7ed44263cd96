package peer

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
)

// resourceListing is a resource or a template as a list shows it.
type resourceListing struct {
	URI         string `json:"uri,omitempty"`
	URITemplate string `json:"uriTemplate,omitempty"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
	Size        int64  `json:"size,omitempty"`
	Annotations *Marks `json:"annotations,omitempty"`
	Icons       []Icon `json:"icons,omitempty"`
}

func (l resourceListing) fit(r Revision) resourceListing {
	if !r.Has(Titles) {
		l.Title = ""
		if l.Annotations != nil && l.Annotations.LastModified != "" {
			marks := *l.Annotations
			marks.LastModified = ""
			l.Annotations = &marks
		}
	}
	if !r.Has(Icons) {
		l.Icons = nil
	}
	return l
}

func listResources(_ context.Context, c *Call) (any, error) {
	r := c.Revision()
	var all []resourceListing
	for _, x := range c.session.server.Resources {
		all = append(all, resourceListing{
			URI: x.URI, Name: x.Name, Title: x.Title, Description: x.Description,
			MIMEType: x.MIMEType, Size: x.Size, Annotations: x.Annotations, Icons: x.Icons,
		}.fit(r))
	}
	return list(c, "resources", all)
}

func listTemplates(_ context.Context, c *Call) (any, error) {
	r := c.Revision()
	var all []resourceListing
	for _, x := range c.session.server.Templates {
		all = append(all, resourceListing{
			URITemplate: x.URI, Name: x.Name, Title: x.Title,
			Description: x.Description, MIMEType: x.MIMEType,
		}.fit(r))
	}
	return list(c, "resourceTemplates", all)
}

// decodeURI reads the uri that the methods about one resource have.
func (c *Call) decodeURI() (string, error) {
	var params struct {
		URI *string `json:"uri"`
	}
	if err := c.decodeParams(&params); err != nil {
		return "", err
	}
	if params.URI == nil {
		return "", invalidParams("uri is missing")
	}
	return *params.URI, nil
}

func readResource(_ context.Context, c *Call) (any, error) {
	uri, err := c.decodeURI()
	if err != nil {
		return nil, err
	}
	contents, err := c.session.server.read(c, uri)
	if err != nil {
		return nil, err
	}
	return map[string][]Contents{"contents": {contents}}, nil
}

func (s *Server) read(c *Call, uri string) (Contents, error) {
	for i := range s.Resources {
		if x := &s.Resources[i]; x.URI == uri {
			return x.Read(c), nil
		}
	}
	for i := range s.Templates {
		if values, ok := matchTemplate(s.Templates[i].URI, uri); ok {
			return s.Templates[i].Read(uri, values)
		}
	}
	return Contents{}, notFound(uri)
}

func notFound(uri string) *Error {
	return &Error{Code: CodeResourceNotFound, Message: "resource not found", Data: map[string]string{"uri": uri}}
}

// holds reports whether there is a resource with this uri.
func (s *Server) holds(uri string) bool {
	for _, x := range s.Resources {
		if x.URI == uri {
			return true
		}
	}
	for _, t := range s.Templates {
		if values, ok := matchTemplate(t.URI, uri); ok {
			_, err := t.Read(uri, values)
			return err == nil
		}
	}
	return false
}

// matchTemplate finds the values of the simple variables ({name}, RFC 6570
// level 1) with which the template makes the uri.
func matchTemplate(template, uri string) (map[string]string, bool) {
	values := map[string]string{}
	for {
		literal, rest, more := strings.Cut(template, "{")
		var ok bool
		if uri, ok = strings.CutPrefix(uri, literal); !ok {
			return nil, false
		}
		if !more {
			return values, uri == ""
		}
		var name string
		name, template, _ = strings.Cut(rest, "}")
		end := strings.IndexByte(uri, '/')
		if end < 0 {
			end = len(uri)
		}
		value, err := url.PathUnescape(uri[:end])
		if err != nil || value == "" {
			return nil, false
		}
		values[name], uri = value, uri[end:]
	}
}

func subscribe(_ context.Context, c *Call) (any, error) {
	uri, err := c.decodeURI()
	if err != nil {
		return nil, err
	}
	if !c.session.server.holds(uri) {
		return nil, notFound(uri)
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.subscribes[uri] = true
	return json.RawMessage("{}"), nil
}

func unsubscribe(_ context.Context, c *Call) (any, error) {
	uri, err := c.decodeURI()
	if err != nil {
		return nil, err
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	delete(c.session.subscribes, uri)
	return json.RawMessage("{}"), nil
}
