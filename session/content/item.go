package content

import (
	"errors"
	"mime"
	"net/url"
	"path"
	"strings"

	"mcptea/client/jsonrpc"
)

// Item is a piece of a result that can be written to a file or read by a program: a
// text, a blob, JSON, or a link to a resource.
type Item struct {
	Kind string // "text", "image", "audio", "resource", "structured content", "link", "whole result"
	Name string // of a resource or a link; untrusted
	MIME string // empty when the server does not say; untrusted
	URI  string // of a resource or a link; untrusted

	text, blob, raw []byte // one of them: a JSON string, a JSON string in Base64, or bytes as they are
}

// TextItem is an item with bytes as they are, which are not copied.
func TextItem(kind string, data []byte) Item {
	return Item{Kind: kind, MIME: "text/plain", raw: data}
}

// IsLink reports whether the item is a link to a resource, which has no data.
func (it *Item) IsLink() bool { return it.Kind == "link" }

// Size is the number of bytes of the data as they are in the frame.
func (it *Item) Size() int { return len(it.text) + len(it.blob) + len(it.raw) }

// Data returns the exact bytes: of a text in UTF-8, of a blob decoded, of JSON as it
// was sent.
func (it *Item) Data() ([]byte, error) {
	switch {
	case it.text != nil:
		s, ok := jsonrpc.Unquote(it.text)
		if !ok {
			return nil, errNoText
		}
		return []byte(s), nil
	case it.blob != nil:
		return decode(it.blob)
	case it.raw != nil:
		return it.raw, nil
	}
	return nil, errors.New("a link has no data; read the resource")
}

// Items lists the pieces of a result in their order, and at the end the whole result.
func Items(method string, result []byte) []Item {
	var items []Item
	switch method {
	case "tools/call":
		list, _ := array(result, "content")
		for _, b := range list {
			items = append(items, itemOf(b)...)
		}
		if v, ok := jsonrpc.Member(result, "structuredContent"); ok {
			items = append(items, Item{Kind: "structured content", MIME: "application/json", raw: v})
		}
	case "resources/read":
		list, _ := array(result, "contents")
		for _, c := range list {
			items = append(items, resourceItem(c)...)
		}
	case "prompts/get":
		list, _ := array(result, "messages")
		for _, m := range list {
			c, _ := jsonrpc.Member(m, "content")
			items = append(items, itemOf(c)...)
		}
	}
	return append(items, Item{Kind: "whole result", MIME: "application/json", raw: result})
}

// itemOf is the piece that a content block is; none for one that is not known.
func itemOf(block []byte) []Item {
	it := Item{Kind: member(block, "type"), MIME: member(block, "mimeType")}
	switch it.Kind {
	case "text":
		it.text, _ = jsonrpc.Member(block, "text")
	case "image", "audio":
		it.blob, _ = jsonrpc.Member(block, "data")
	case "resource":
		r, _ := jsonrpc.Member(block, "resource")
		return resourceItem(r)
	case "resource_link":
		it.Kind, it.URI, it.Name = "link", member(block, "uri"), member(block, "name")
		return []Item{it}
	}
	if it.Size() == 0 {
		return nil
	}
	return []Item{it}
}

func resourceItem(raw []byte) []Item {
	it := Item{Kind: "resource", URI: member(raw, "uri"), MIME: member(raw, "mimeType")}
	it.Name = it.URI
	if it.text, _ = jsonrpc.Member(raw, "text"); it.text == nil {
		it.blob, _ = jsonrpc.Member(raw, "blob")
	}
	if it.Size() == 0 {
		return nil
	}
	return []Item{it}
}

// extensions are those that a package of the system would name less well.
var extensions = map[string]string{
	"text/plain": ".txt", "text/markdown": ".md", "text/html": ".html", "application/json": ".json",
	"image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif", "image/svg+xml": ".svg", "image/webp": ".webp",
	"audio/mpeg": ".mp3", "audio/wav": ".wav", "audio/x-wav": ".wav", "audio/ogg": ".ogg", "audio/flac": ".flac",
	"application/pdf": ".pdf", "application/gzip": ".gz", "application/zip": ".zip", "text/csv": ".csv", "application/xml": ".xml",
}

// FileName suggests a name for a file with the data: letters, digits, dots and dashes.
func (it *Item) FileName() string {
	base := ""
	if u, err := url.Parse(it.URI); err == nil {
		base = path.Base(strings.TrimRight(u.Path, "/"))
		if base == "." || base == "/" {
			base = u.Host
		}
	}
	if base == "" {
		base = strings.ReplaceAll(it.Kind, " ", "-")
	}
	base = strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '-'
	}, base), ".-")
	base = base[:min(len(base), 80)]
	if base == "" {
		base = "result"
	}
	if path.Ext(base) != "" {
		return base
	}
	return base + it.extension()
}

func (it *Item) extension() string {
	media, _, err := mime.ParseMediaType(it.MIME)
	switch {
	case err == nil && extensions[media] != "":
		return extensions[media]
	case err == nil && strings.HasSuffix(media, "+json"):
		return ".json"
	case it.blob != nil:
		return ".bin"
	}
	return ".txt"
}

// OpenName is a name for a file that a program of the system opens by its extension:
// one that the server names, such as ".desktop", could run a program.
func (it *Item) OpenName() string {
	name := it.FileName()
	for _, known := range extensions {
		if path.Ext(name) == known {
			return name
		}
	}
	return strings.TrimSuffix(name, path.Ext(name)) + it.extension()
}
