package content

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"path"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
)

// Item is a piece of a result that can be written to a file or read by a program: a
// text, a blob, JSON, or a link to a resource.
type Item struct {
	Kind string // "text", "image", "audio", "resource", "structured content", "link", "whole result", "filtered result"
	Name string // name of a resource or a link; untrusted
	MIME string // empty when the server does not say; untrusted
	URI  string // URI of a resource or a link; untrusted

	text, blob []byte // JSON tokens: a string, and a string in Base64
	raw        []byte // unchanged data, if it is neither
	link       bool
	block      []byte // the content block; nil of other items
	resource   []byte // the contents of a resource that text and blob are of; nil of others
}

// TextItem returns an item with the given bytes, which it does not copy.
func TextItem(kind string, data []byte) Item {
	return Item{Kind: kind, MIME: "text/plain", raw: data}
}

// IsLink reports whether the item is a link to a resource, which has no data.
func (it *Item) IsLink() bool { return it.link }

// IsText reports whether the data is a text, in UTF-8.
func (it *Item) IsText() bool { return jsonrpc.TypeOf(it.text) == "string" }

// maxExact is the maximum length of an escaped text whose exact size is computed, in bytes of its token.
const maxExact = 1 << 20

// textSize returns the number of bytes of a JSON string. For a long string with escapes, it is an estimate.
func textSize(token []byte) int {
	escapes := bytes.Count(token, []byte{'\\'})
	if escapes > 0 && len(token) <= maxExact {
		text, _ := jsonrpc.Unquote(token)
		return len(text)
	}
	return max(0, len(token)-len(`""`)-escapes)
}

// Size returns the number of bytes of the data. For a text of more than 1 MiB, it may be an estimate.
func (it *Item) Size() int {
	switch {
	case it.text != nil:
		return textSize(it.text)
	case it.blob != nil:
		data := bytes.Trim(it.blob, `"`)
		if len(data)%4 != 0 { // the text is not Base64
			return len(data)
		}
		return base64.StdEncoding.DecodedLen(len(data)) - (len(data) - len(bytes.TrimRight(data, "=")))
	}
	return len(it.raw)
}

// Data returns the exact bytes: text in UTF-8, a decoded blob, or JSON as sent.
func (it *Item) Data() ([]byte, error) {
	switch {
	case it.text != nil:
		s, ok := jsonrpc.Unquote(it.text)
		if !ok {
			return nil, errors.New("its text is not a string")
		}
		return []byte(s), nil
	case it.blob != nil:
		data, ok := jsonrpc.Unquote(it.blob)
		if !ok {
			return nil, errors.New("its blob is not a string")
		}
		raw, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return nil, fmt.Errorf("its blob is not Base64: %w", err)
		}
		return raw, nil
	case it.raw != nil:
		return it.raw, nil
	case it.link:
		return nil, errors.New("a link has no data; read the resource")
	}
	return nil, errors.New("it has neither text nor a blob")
}

// Items lists the pieces of a result in their order, and at the end the whole result.
func Items(method string, result []byte) []Item {
	var items []Item
	groups, _, _ := groupsOf(method, result)
	for _, g := range groups {
		for _, it := range g.blocks {
			if it.text != nil || it.Size() > 0 || it.link {
				items = append(items, it)
			}
		}
	}
	if v, ok := jsonrpc.Member(result, "structuredContent"); ok && method == "tools/call" {
		items = append(items, Item{Kind: "structured content", MIME: "application/json", raw: v})
	}
	return append(items, Item{Kind: "whole result", MIME: "application/json", raw: result})
}

// Filtered returns an item for the output of a filter.
func Filtered(value []byte) Item {
	return Item{Kind: "filtered result", MIME: "application/json", raw: value}
}

// Contents returns the contents of a resource from a result of resources/read, including items without data.
func Contents(result []byte) []Item {
	var all []Item
	groups, _, _ := groupsOf("resources/read", result)
	for _, g := range groups {
		all = append(all, g.blocks...)
	}
	return all
}

// A group holds the content blocks that belong together: all of a message, else one.
type group struct {
	message []byte // message of a prompt, or nil
	blocks  []Item
}

// maxBlocks bounds the parsed content blocks of a result. Each takes some hundred bytes in addition to its
// text. The rest are counted.
const maxBlocks = 50_000

// groupsOf collects the content blocks of a result; all other functions use it. more is the number of blocks
// left out. ok is false if the result does not have the form that the protocol requires.
func groupsOf(method string, result []byte) (groups []group, more int, ok bool) {
	name, known := map[string]string{"tools/call": "content", "resources/read": "contents", "prompts/get": "messages"}[method]
	list, ok := array(result, name)
	if !known || !ok {
		return nil, 0, false
	}
	left := maxBlocks
	for _, v := range list {
		if left == 0 {
			more++
			continue
		}
		switch method {
		case "tools/call":
			groups = append(groups, group{blocks: []Item{Block(v)}})
			left--
		case "resources/read":
			groups = append(groups, group{blocks: []Item{Resource(v)}})
			left--
		default:
			blocks, several := array(v, "content") // not in the specification, but accepted
			if !several {
				one, _ := jsonrpc.Member(v, "content")
				blocks = [][]byte{one}
			}
			g := group{message: v}
			for _, b := range blocks[:min(len(blocks), left)] {
				g.blocks = append(g.blocks, Block(b))
			}
			more += len(blocks) - len(g.blocks)
			left -= max(1, len(g.blocks))
			groups = append(groups, g)
		}
	}
	return groups, more, true
}

// Block reads a content block.
func Block(block []byte) Item {
	it := Item{Kind: jsonrpc.Text(block, "type"), MIME: jsonrpc.Text(block, "mimeType"), block: block}
	switch it.Kind {
	case "text":
		it.text, _ = jsonrpc.Member(block, "text")
	case "image", "audio":
		it.blob, _ = jsonrpc.Member(block, "data")
	case "resource":
		r, _ := jsonrpc.Member(block, "resource")
		return resourceItem(r, block)
	case "resource_link":
		it.Kind, it.link, it.URI, it.Name = "link", true, jsonrpc.Text(block, "uri"), jsonrpc.Text(block, "name")
	}
	return it
}

// Resource reads the contents of a resource: an entry of the contents that resources/read returns.
func Resource(raw []byte) Item { return resourceItem(raw, nil) }

// resourceItem reads the contents of a resource. block is the content block that contains them.
func resourceItem(raw, block []byte) Item {
	it := Item{Kind: "resource", URI: jsonrpc.Text(raw, "uri"), MIME: jsonrpc.Text(raw, "mimeType"), block: block, resource: raw}
	it.Name = it.URI
	it.text, _ = jsonrpc.Member(raw, "text")
	it.blob, _ = jsonrpc.Member(raw, "blob")
	return it
}

func array(raw []byte, name string) ([][]byte, bool) {
	v, ok := jsonrpc.Member(raw, name)
	if !ok || jsonrpc.TypeOf(v) != "array" {
		return nil, false
	}
	return slices.Collect(jsonrpc.Elements(v)), true
}

// extensions maps media types to file extensions where the tables of the system are worse.
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
	case it.text == nil && it.blob != nil:
		return ".bin"
	}
	return ".txt"
}

// OpenName returns a name for a file that a program of the system opens by its extension. It does not use other
// extensions from the server, because one such as ".desktop" could run a program.
func (it *Item) OpenName() string {
	name := it.FileName()
	for _, known := range extensions {
		if path.Ext(name) == known {
			return name
		}
	}
	return strings.TrimSuffix(name, path.Ext(name)) + it.extension()
}
