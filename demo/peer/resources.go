package peer

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"mcptea/client/revision"

	"mcptea/client/jsonrpc"
)

// fit is the resource with what the revision has.
func (x Resource) fit(r revision.Revision) Resource {
	keep(titles.In(r), &x.Title)
	keep(icons.In(r), &x.Icons)
	if x.Annotations != nil && !titles.In(r) {
		marks := *x.Annotations
		marks.LastModified = ""
		x.Annotations = &marks
	}
	return x
}

func listResources(_ context.Context, c *Call) (any, error) {
	r := c.Revision()
	var all []Resource
	for _, x := range c.server().Resources {
		if c.visible("resources", x.URI, x.Visible) {
			all = append(all, x.fit(r))
		}
	}
	return list(c, "resources", all)
}

func listTemplates(_ context.Context, c *Call) (any, error) {
	all := slices.Clone(c.server().Templates)
	for i := range all {
		keep(titles.In(c.Revision()), &all[i].Title)
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

func readWaits(c *Call) bool {
	uri, err := c.decodeURI()
	x := c.resource(uri)
	return err == nil && x != nil && x.Ask != nil
}

// resource finds one that the client sees, nil for none.
func (c *Call) resource(uri string) *Resource {
	for i := range c.server().Resources {
		if x := &c.server().Resources[i]; x.URI == uri && c.visible("resources", uri, x.Visible) {
			return x
		}
	}
	return nil
}

func readResource(ctx context.Context, c *Call) (any, error) {
	uri, err := c.decodeURI()
	if err != nil {
		return nil, err
	}
	contents, err := c.read(ctx, uri)
	if err != nil {
		return nil, err
	}
	return map[string][]Contents{"contents": {contents}}, nil
}

func (c *Call) read(ctx context.Context, uri string) (Contents, error) {
	x := c.resource(uri)
	switch {
	case x != nil && x.Ask != nil:
		if err := c.resume(); err != nil {
			return Contents{}, err
		}
		return x.Ask(ctx, c)
	case x != nil:
		return x.Read(c), nil
	}
	templates := c.server().Templates
	for i := range templates {
		if values, ok := matchTemplate(templates[i].URI, uri); ok {
			contents, err := templates[i].Read(uri, values)
			if err != nil {
				return Contents{}, c.notFound(uri, err.Error())
			}
			return contents, nil
		}
	}
	return Contents{}, c.notFound(uri, "resource not found")
}

func (c *Call) notFound(uri, message string) *Error {
	code := int64(revision.CodeResourceNotFound)
	if c.terms.modern {
		code = jsonrpc.CodeInvalidParams
	}
	return &Error{Code: code, Message: message, Data: map[string]string{"uri": uri}}
}

// holds reports whether there is a resource with this uri.
func (c *Call) holds(uri string) bool {
	if c.resource(uri) != nil {
		return true
	}
	for _, t := range c.server().Templates {
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
	if !c.holds(uri) {
		return nil, c.notFound(uri, "resource not found")
	}
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.subscribes[uri] != nil {
		return struct{}{}, nil
	}
	ctx, stop := context.WithCancel(s.ctx)
	s.subscribes[uri] = stop
	s.work.Go(func() { s.server.tick(ctx, uri, func() { s.notifyUpdated(uri) }) })
	return struct{}{}, nil
}

func unsubscribe(_ context.Context, c *Call) (any, error) {
	uri, err := c.decodeURI()
	if err != nil {
		return nil, err
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	if stop := c.session.subscribes[uri]; stop != nil {
		stop()
		delete(c.session.subscribes, uri)
	}
	return struct{}{}, nil
}
