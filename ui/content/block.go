package content

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/ui/paint"
)

// highlightable is the size up to which text gets colours; beyond it the eye
// gains little and the lexers take long.
const highlightable = 256 << 10

// block shows one content block. Alone it goes without a heading when it is
// text, since that is what most results are.
func block(raw []byte, alone, failed bool) []part {
	kind := member(raw, "type")
	marks := annotations(raw)
	switch kind {
	case "text":
		v, _ := jsonrpc.Member(raw, "text")
		s, ok := jsonrpc.Unquote(v)
		if !ok {
			break
		}
		mime := member(raw, "mimeType")
		var parts []part
		if !alone || len(marks) > 0 {
			parts = append(parts, heading{name: "text", facts: join(mime, marks)})
		}
		return append(parts, shown(mime, s, failed))
	case "image", "audio":
		return media(kind, member(raw, "mimeType"), member(raw, "data"), "", marks)
	case "resource":
		if r, ok := jsonrpc.Member(raw, "resource"); ok {
			return resource("embedded resource", r, marks...)
		}
	case "resource_link":
		return link(raw, marks)
	}
	name := kind
	if name == "" {
		name = "content without a type"
	}
	return []part{heading{name: name, facts: marks}, newJSON(raw)}
}

// shown chooses how a text is shown: by its media type, else by its looks.
func shown(mime, s string, failed bool) part {
	switch trimmed := strings.TrimSpace(s); {
	case failed && !looksLikeJSON(trimmed):
		t := newText(s)
		t.error = true
		return t
	case looksLikeJSON(trimmed):
		return newJSON([]byte(trimmed))
	case mime != "" && len(s) <= highlightable && !strings.HasPrefix(mime, "text/plain"):
		return newCode(mime, s)
	case s == "":
		return note{text: "empty"}
	}
	return newText(s)
}

func looksLikeJSON(s string) bool {
	return len(s) > 1 && (s[0] == '{' || s[0] == '[') && json.Valid([]byte(s))
}

// annotations are what a server says about a piece of content.
func annotations(raw []byte) []string {
	var facts []string
	if list, ok := jsonrpc.Member(raw, "annotations", "audience"); ok {
		var who []string
		for e := range jsonrpc.Elements(list) {
			s, _ := jsonrpc.Unquote(e)
			who = append(who, s)
		}
		facts = append(facts, "for "+strings.Join(who, " and "))
	}
	if v, ok := jsonrpc.Member(raw, "annotations", "priority"); ok {
		facts = append(facts, "priority "+string(v))
	}
	if s := member(raw, "annotations", "lastModified"); s != "" {
		facts = append(facts, "changed "+s)
	}
	return facts
}

func join(first string, rest []string) []string {
	if first == "" {
		return rest
	}
	return append([]string{first}, rest...)
}

// resource shows contents of a resource, text or blob.
func resource(name string, raw []byte, marks ...string) []part {
	uri, mime := member(raw, "uri"), member(raw, "mimeType")
	if name == "" {
		name = uri
	} else {
		marks = join(uri, marks)
	}
	if blob, ok := jsonrpc.Member(raw, "blob"); ok {
		data, _ := jsonrpc.Unquote(blob)
		kind := "blob"
		if before, _, ok := strings.Cut(mime, "/"); ok && (before == "image" || before == "audio") {
			kind = before
		}
		return media(kind, mime, data, name, marks)
	}
	v, ok := jsonrpc.Member(raw, "text")
	s, isText := jsonrpc.Unquote(v)
	if !ok || !isText {
		return []part{heading{name: name, facts: join(mime, marks)}, newJSON(raw)}
	}
	facts := append(join(mime, marks), paint.HumanSize(int64(len(s))))
	return []part{heading{name: name, facts: facts}, shown(mime, s, false)}
}

func link(raw []byte, marks []string) []part {
	name := member(raw, "title")
	if name == "" {
		name = member(raw, "name")
	}
	facts := []string{name}
	if m := member(raw, "mimeType"); m != "" {
		facts = append(facts, m)
	}
	if size, ok := jsonrpc.Member(raw, "size"); ok {
		if n, ok := jsonrpc.Integer(size); ok {
			facts = append(facts, paint.HumanSize(n))
		}
	}
	parts := []part{heading{name: "resource link", facts: append(facts, marks...)}, newText(member(raw, "uri"))}
	if d := member(raw, "description"); d != "" {
		parts = append(parts, note{text: d})
	}
	return parts
}

// media shows facts about bytes that a terminal cannot, and a small picture of
// an image.
func media(kind, mime, data, name string, marks []string) []part {
	facts := join(mime, nil)
	if name == "" {
		name = kind
	} else if kind != "blob" {
		facts = append(facts, kind)
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		facts = append(facts, paint.HumanSize(int64(len(data)))+" that are not Base64")
		return []part{heading{role: bad, name: name, facts: append(facts, marks...)}}
	}
	var small *picture
	switch kind {
	case "image":
		var found string
		found, small = inspect(raw)
		facts = append(facts, found)
	case "audio":
		if d, ok := wavLength(raw); ok {
			facts = append(facts, paint.HumanDuration(d))
		}
	}
	facts = append(facts, paint.HumanSize(int64(len(raw))))
	parts := []part{heading{name: name, facts: append(facts, marks...)}}
	if small != nil {
		parts = append(parts, small)
	}
	return parts
}
