package content

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
)

// block takes a content block apart. Alone it has no heading when it is text,
// since that is what most results are.
func block(raw []byte, alone, failed bool) []Part {
	kind := member(raw, "type")
	notes := annotations(raw)
	switch kind {
	case "text":
		v, _ := jsonrpc.Member(raw, "text")
		s, ok := jsonrpc.Unquote(v)
		if !ok {
			break
		}
		mime := member(raw, "mimeType")
		var parts []Part
		if !alone || len(notes) > 0 {
			parts = append(parts, Heading{Name: "text", Facts: facts(notes, mime), Plain: true})
		}
		return append(parts, textOf(mime, s, failed))
	case "image", "audio":
		return media(kind, member(raw, "mimeType"), member(raw, "data"), "", notes)
	case "resource":
		if r, ok := jsonrpc.Member(raw, "resource"); ok {
			return resource("embedded resource", r, false, notes...)
		}
	case "resource_link":
		return link(raw, notes)
	}
	name := kind
	if name == "" {
		name = "content without a type"
	}
	return []Part{Heading{Name: name, Facts: notes}, JSON{raw}}
}

// textOf is TextOf of a block of a result.
func textOf(mime, s string, failed bool) Part {
	t := TextOf(mime, s)
	t.Failed = failed
	return t
}

// TextOf notes what a text is.
func TextOf(mime, s string) Text {
	trimmed := strings.TrimSpace(s)
	isJSON := len(trimmed) > 1 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid([]byte(trimmed))
	return Text{Text: s, MIME: mime, JSON: isJSON}
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

// annotations are what a server says about a piece of content.
func annotations(raw []byte) []Fact {
	var found []Fact
	if list, ok := jsonrpc.Member(raw, "annotations", "audience"); ok {
		var audience []string
		for e := range jsonrpc.Elements(list) {
			s, _ := jsonrpc.Unquote(e)
			audience = append(audience, s)
		}
		found = append(found, Fact{Text: "for " + strings.Join(audience, " and ")})
	}
	if v, ok := jsonrpc.Member(raw, "annotations", "priority"); ok {
		found = append(found, Fact{Text: "priority " + string(v)})
	}
	if s := member(raw, "annotations", "lastModified"); s != "" {
		found = append(found, Fact{Text: "changed " + s})
	}
	return found
}

// resource takes the contents of a resource apart, text or blob. Plain is that
// of a heading over a text.
func resource(name string, raw []byte, plain bool, notes ...Fact) []Part {
	uri, mime := member(raw, "uri"), member(raw, "mimeType")
	if name == "" {
		name = uri
	} else {
		notes = facts(notes, uri)
	}
	if blob, ok := jsonrpc.Member(raw, "blob"); ok {
		data, _ := jsonrpc.Unquote(blob)
		kind := "blob"
		if before, _, ok := strings.Cut(mime, "/"); ok && (before == "image" || before == "audio") {
			kind = before
		}
		return media(kind, mime, data, name, notes)
	}
	v, ok := jsonrpc.Member(raw, "text")
	s, isText := jsonrpc.Unquote(v)
	if !ok || !isText {
		return []Part{Heading{Name: name, Facts: facts(notes, mime)}, JSON{raw}}
	}
	about := append(facts(notes, mime), Fact{Size: sizeOf(int64(len(s)))})
	return []Part{Heading{Name: name, Facts: about, Plain: plain}, textOf(mime, s, false)}
}

func link(raw []byte, notes []Fact) []Part {
	name := member(raw, "title")
	if name == "" {
		name = member(raw, "name")
	}
	about := facts(nil, name, member(raw, "mimeType"))
	if size, ok := jsonrpc.Member(raw, "size"); ok {
		if n, ok := jsonrpc.Integer(size); ok && n >= 0 {
			about = append(about, Fact{Size: sizeOf(n)})
		}
	}
	parts := []Part{Heading{Name: "resource link", Facts: append(about, notes...)}, Text{Text: member(raw, "uri")}}
	if d := member(raw, "description"); d != "" {
		parts = append(parts, Note{Text: d})
	}
	return parts
}

// media are facts about bytes that are no text, and the image if it is one.
func media(kind, mime, data, name string, notes []Fact) []Part {
	about := facts(nil, mime)
	if name == "" {
		name = kind
	} else if kind != "blob" {
		about = append(about, Fact{Text: kind})
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		about = append(about, Fact{Text: "not Base64"}, Fact{Size: sizeOf(int64(len(data)))})
		return []Part{Heading{Role: OfFault, Name: name, Facts: append(about, notes...)}}
	}
	switch kind {
	case "image":
		about = append(about, Fact{Text: imageFormat(raw)})
	case "audio":
		about = append(about, audioOf(raw).facts()...)
	}
	about = append(about, Fact{Size: sizeOf(int64(len(raw)))})
	parts := []Part{Heading{Name: name, Facts: append(about, notes...)}}
	if kind == "image" {
		parts = append(parts, Picture{raw})
	}
	return parts
}

var (
	errNoText = errors.New("its text is not a string")
	errNoData = errors.New("it has neither text nor a blob")
)

// decode reads the bytes of a blob.
func decode(blob []byte) ([]byte, error) {
	data, ok := jsonrpc.Unquote(blob)
	if !ok {
		return nil, errors.New("its blob is not a string")
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, fmt.Errorf("its blob is not Base64: %w", err)
	}
	return raw, nil
}
