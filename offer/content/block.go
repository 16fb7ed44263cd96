package content

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	_ "image/gif"  // servers send GIF pictures
	_ "image/jpeg" // also JPEG
	_ "image/png"  // also PNG
	"strconv"
	"strings"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
)

// parts splits a content block or the contents of a resource into parts. alone reports that there is no other
// block: then text has no heading, as in most results.
func (it *Item) parts(alone, failed bool) []Part {
	notes := facts(nil, Annotations(it.block)...)
	switch {
	case it.resource != nil:
		return it.resourceParts(alone, notes)
	case it.link:
		return it.linkParts(notes)
	case it.Kind == "image" || it.Kind == "audio":
		return media(it.Kind, it.MIME, it.blob, "", notes)
	case it.Kind == "text" && it.IsText():
		text := decoded(it.MIME, it.text)
		text.Failed = failed
		if alone && len(notes) == 0 {
			return []Part{text}
		}
		return []Part{Heading{Name: "text", Facts: facts(notes, it.MIME), Plain: true}, text}
	}
	name := it.Kind
	if name == "" {
		name = "content without a type"
	}
	return []Part{Heading{Name: name, Facts: notes}, JSON{it.block}}
}

// TextOf returns a text with its kind.
func TextOf(mime, s string) Text {
	t := Text{MIME: mime, text: s}
	if mayBeJSON(s) {
		t.JSON = asJSON([]byte(s))
	}
	return t
}

// decoded returns the text of a JSON string token with its kind.
func decoded(mime string, token []byte) Text {
	if len(token) > maxDecoded {
		if lines, ok := newLines(token); ok {
			t := Text{MIME: mime, lines: lines}
			if mayBeJSON(lines.Group(0)[0]) {
				data, _ := jsonrpc.AppendUnquoted(make([]byte, 0, lines.size), token)
				t.JSON = asJSON(data)
			}
			return t
		}
	}
	s, _ := jsonrpc.Unquote(token)
	return TextOf(mime, s)
}

// asJSON returns a text without surrounding white space, or nil if it is not a JSON object or array.
func asJSON(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || !mayBeJSON(string(text[:1])) || !json.Valid(text) {
		return nil
	}
	return text
}

// mayBeJSON reports whether a text with such a beginning may be a JSON object or array.
func mayBeJSON(start string) bool {
	start = strings.TrimSpace(start)
	return start == "" || start[0] == '{' || start[0] == '['
}

// size returns the size of the text.
func (t Text) size() Size {
	if t.lines != nil {
		return sizeOf(int64(t.lines.size))
	}
	return sizeOf(int64(len(t.text)))
}

// facts puts texts before facts; empty ones are left out.
func facts(after []Fact, texts ...string) []Fact {
	var all []Fact
	for _, t := range texts {
		if t != "" {
			all = append(all, Fact{Text: t})
		}
	}
	return append(all, after...)
}

// Annotations describes the annotations of a content block.
func Annotations(raw []byte) (found []string) {
	if list, ok := jsonrpc.Member(raw, "annotations", "audience"); ok {
		var audience []string
		for e := range jsonrpc.Elements(list) {
			s, _ := jsonrpc.Unquote(e)
			audience = append(audience, s)
		}
		found = append(found, "for "+strings.Join(audience, " and "))
	}
	if v, ok := jsonrpc.Member(raw, "annotations", "priority"); ok {
		found = append(found, "priority "+string(v))
	}
	if s := jsonrpc.Text(raw, "annotations", "lastModified"); s != "" {
		found = append(found, "changed "+s)
	}
	return found
}

// resourceParts splits the contents of a resource, text or blob, into parts. alone is for contents that are not
// in a block.
func (it *Item) resourceParts(alone bool, notes []Fact) []Part {
	name, plain := it.URI, alone
	if it.block != nil {
		name, plain, notes = "embedded resource", false, facts(notes, it.URI)
	}
	switch {
	case it.blob != nil:
		kind := "blob"
		if before, _, ok := strings.Cut(it.MIME, "/"); ok && (before == "image" || before == "audio") {
			kind = before
		}
		return media(kind, it.MIME, it.blob, name, notes)
	case !it.IsText():
		return []Part{Heading{Name: name, Facts: facts(notes, it.MIME)}, JSON{it.resource}}
	}
	text := decoded(it.MIME, it.text)
	about := append(facts(notes, it.MIME), Fact{Size: text.size()})
	return []Part{Heading{Name: name, Facts: about, Plain: plain}, text}
}

func (it *Item) linkParts(notes []Fact) []Part {
	name := jsonrpc.Text(it.block, "title")
	if name == "" {
		name = it.Name
	}
	about := facts(nil, name, it.MIME)
	if size, ok := jsonrpc.Member(it.block, "size"); ok {
		if n, ok := jsonrpc.Integer(size); ok && n >= 0 {
			about = append(about, Fact{Size: sizeOf(n)})
		}
	}
	parts := []Part{Heading{Name: "resource link", Facts: append(about, notes...)}, Text{text: it.URI}}
	if d := jsonrpc.Text(it.block, "description"); d != "" {
		parts = append(parts, Note{Text: d})
	}
	return parts
}

// media returns facts about binary data, and the picture if it is an image.
func media(kind, mime string, blob []byte, name string, notes []Fact) []Part {
	about := facts(nil, mime)
	if name == "" {
		name = kind
	} else if kind != "blob" {
		about = append(about, Fact{Text: kind})
	}
	data, _ := jsonrpc.Unquote(blob)
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		about = append(about, Fact{Text: "not Base64"}, Fact{Size: sizeOf(int64(len(data)))})
		return []Part{Heading{Role: OfFault, Name: name, Facts: append(about, notes...)}}
	}
	size := Fact{Size: sizeOf(int64(len(raw)))}
	if kind != "image" {
		head := Heading{Name: name, Facts: append(append(about, size), notes...)}
		if strings.HasPrefix(mime, "text/") && len(raw) <= maxDecoded && utf8.Valid(raw) { // MCP allows both
			return []Part{head, TextOf(mime, string(raw))}
		}
		return []Part{head}
	}
	about = append(about, Fact{Text: imageFormat(raw)}, size)
	return []Part{Heading{Name: name, Facts: append(about, notes...)}, Picture{raw}}
}

// imageFormat returns the format and the size in pixels from the header of an image.
func imageFormat(data []byte) string {
	cfg, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return "not a PNG, JPEG or GIF"
	}
	return strings.ToUpper(format) + " " + strconv.Itoa(cfg.Width) + "×" + strconv.Itoa(cfg.Height)
}
