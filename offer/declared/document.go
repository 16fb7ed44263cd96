package declared

import (
	"cmp"
	"fmt"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/offer/content"
)

// A Document is the resource of an app, with the server's declarations for it.
type Document struct {
	URI  string // URI as requested
	MIME string // MIME type from the content item, or else from the list entry, or else ""
	HTML []byte // decoded, not checked

	CSP           CSP
	Permissions   []string // names of permissions in order, at most 100; unknown ones are included, and those that are false or null are not
	Domain        string   // empty: not declared
	PrefersBorder *bool    // nil if not declared

	UI     []byte // raw effective _meta.ui, or nil; aliases entry or read
	Source Source // source of UI
}

// Source is a place where a server declares _meta.ui of a document.
type Source string

// The places, in the order of precedence.
const (
	inItem   Source = "content item"
	inResult Source = "result of resources/read"
	inList   Source = "entry of resources/list"
)

// OfDocument reads the document of an app: uri as the tool has it, entry the raw entry of
// resources/list or nil, read the raw result of resources/read. Of several content items it
// takes the only one with this URI. It returns an error if there is no such item, or if its
// text or blob cannot be read; the MIME type is not checked.
func OfDocument(uri string, entry, read []byte) (Document, error) {
	d := Document{URI: uri}
	item, err := itemOf(uri, read)
	if err != nil {
		return d, err
	}
	contents := content.Resource(item)
	if d.HTML, err = contents.Data(); err != nil {
		return d, fmt.Errorf("content of %q: %w", uri, err)
	}
	d.MIME = cmp.Or(contents.MIME, jsonrpc.Text(entry, "mimeType"))
	d.declare(item, read, entry)
	return d, nil
}

// OfEntry reads a raw entry of resources/list before the document is read: without HTML.
func OfEntry(entry []byte) Document {
	d := Document{URI: jsonrpc.Text(entry, "uri"), MIME: jsonrpc.Text(entry, "mimeType")}
	d.declare(nil, nil, entry)
	return d
}

// maxPermissions bounds the permissions. The extension defines four.
const maxPermissions = 100

// declare fills what _meta.ui declares. The first object counts as a whole: members of
// different places are not mixed.
func (d *Document) declare(item, read, entry []byte) {
	for _, place := range []struct {
		in     []byte
		source Source
	}{{item, inItem}, {read, inResult}, {entry, inList}} {
		if ui := jsonrpc.Get(place.in, "_meta", "ui"); jsonrpc.TypeOf(ui) == "object" {
			d.UI, d.Source = ui, place.source
			break
		}
	}
	d.CSP = cspOf(jsonrpc.Get(d.UI, "csp"))
	for name, value := range jsonrpc.Members(jsonrpc.Get(d.UI, "permissions")) {
		if len(d.Permissions) == maxPermissions {
			break
		}
		if t := jsonrpc.TypeOf(value); t == "null" || string(value) == "false" || slices.Contains(d.Permissions, string(name)) {
			continue
		}
		d.Permissions = append(d.Permissions, string(name))
	}
	d.Domain = jsonrpc.Text(d.UI, "domain")
	switch string(jsonrpc.Get(d.UI, "prefersBorder")) {
	case "true":
		d.PrefersBorder = new(true)
	case "false":
		d.PrefersBorder = new(false)
	}
}

// itemOf finds the content item of a document.
func itemOf(uri string, read []byte) ([]byte, error) {
	var items, same [][]byte
	for item := range jsonrpc.Elements(jsonrpc.Get(read, "contents")) {
		items = append(items, item)
		if jsonrpc.Text(item, "uri") == uri {
			same = append(same, item)
		}
	}
	switch {
	case len(items) == 0:
		return nil, fmt.Errorf("the result of resources/read for %q has no content item", uri)
	case len(items) == 1:
		return items[0], nil
	case len(same) == 1:
		return same[0], nil
	}
	return nil, fmt.Errorf("the result of resources/read for %q has %d content items, of which %d have this URI; expected one", uri, len(items), len(same))
}
