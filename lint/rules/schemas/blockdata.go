package schemas

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
)

// binary is Base64 data and its declared type.
type binary struct {
	data []byte // the raw JSON string
	mime string
	at   lint.Place
	kind string // the type of the block; empty for a resource
}

// binaries returns the data of blocks and of read resources.
func binaries(c *lint.Context) []binary {
	if e := &c.M.Envelope; !e.MayHave("data") && !e.MayHave("blob") {
		return nil
	}
	var found []binary
	add := func(holder []byte, member string, at lint.Place, kind string) {
		if data := jsonrpc.Get(holder, member); jsonrpc.TypeOf(data) == "string" {
			found = append(found, binary{data, jsonrpc.Text(holder, "mimeType"), lint.Below(at, "/"+member), kind})
		}
	}
	for _, b := range blocks(c) {
		switch b.kind {
		case "image", "audio":
			add(b.raw, "data", b.at(), b.kind)
		case "resource":
			add(jsonrpc.Get(b.raw, "resource"), "blob", lint.Below(b.at(), "/resource"), "")
		}
	}
	if c.M.Method == "resources/read" && c.M.IsResult() {
		for i, item := range lint.Indexed(c.M.Get(c.M.Result, "contents")) {
			add(item, "blob", lint.At("result", "contents", i), "")
		}
	}
	return found
}

// text returns the Base64 text itself. Only slashes are sometimes escaped in it.
func (b binary) text() []byte {
	inner := b.data[1 : len(b.data)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	s, _ := jsonrpc.Unquote(b.data)
	return []byte(s)
}

func notBase64(c *lint.Context, b binary) {
	text := b.text()
	reason, part := base64Fault(text), ""
	switch name := twiceEncoded(text); {
	case reason != "" && isRaw(text):
		reason, part = "it is the bytes themselves as a text", "raw"
	case reason == "" && name != "":
		reason, part = "it is that of the Base64 of "+name+": the data was encoded twice", "twice"
	case hexEncoded(text) != "":
		reason = "it is " + hexEncoded(text) + " in hexadecimal"
	}
	if reason != "" {
		c.For(part).Report(b.at, "path", lint.ShownPath(b.at.Path()), "reason", reason)
	}
}

// isRaw reports whether binary data was decoded as text: it contains U+FFFD or control characters.
func isRaw(text []byte) bool {
	for _, r := range string(text[:min(len(text), maxRaw)]) {
		if r == '\ufffd' || r < ' ' && r != '\n' && r != '\r' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return true
		}
	}
	return false
}

// maxRaw bounds the bytes of data that are searched for characters that Base64 does not have.
const maxRaw = 4 << 10

// twiceEncoded names the file whose Base64 was encoded in Base64; empty for others.
func twiceEncoded(text []byte) string {
	const head = 64 // characters, which are 48 of the inner one
	inner, err := base64.StdEncoding.DecodeString(string(text[:min(len(text), head)]))
	if err != nil {
		return ""
	}
	inner = bytes.TrimPrefix(inner, []byte("data:"))
	if mime, name := sniff(inner[:len(inner)/4*4]); mime != "" && mime != "text/plain" {
		return name
	}
	return ""
}

// base64Fault returns why text is not standard Base64 with padding, or "".
func base64Fault(text []byte) string {
	if bytes.HasPrefix(text, []byte("data:")) {
		return "it is a data: URI"
	}
	end := len(text)
	for end > 0 && len(text)-end < 2 && text[end-1] == '=' {
		end--
	}
	for i, ch := range text[:end] {
		switch {
		case 'a' <= ch && ch <= 'z', 'A' <= ch && ch <= 'Z', '0' <= ch && ch <= '9', ch == '+', ch == '/':
		case ch == '-' || ch == '_':
			return "it uses the URL-safe alphabet"
		case ch == '\n' || ch == '\r':
			return "it has line breaks"
		default:
			return fmt.Sprintf("character %d is not in the Base64 alphabet", i+1)
		}
	}
	switch {
	case len(text)%4 == 0:
		return ""
	case end == len(text) && len(text)%4 != 1:
		return "its padding is missing"
	}
	return "its length is wrong"
}

// magic lists the first bytes of file formats.
var magic = []struct{ begins, mime, name string }{
	{"\x89PNG\r\n\x1a\n", "image/png", "a PNG image"},
	{"\xff\xd8\xff", "image/jpeg", "a JPEG image"},
	{"GIF8", "image/gif", "a GIF image"},
	{"%PDF-", "application/pdf", "a PDF document"},
	{"OggS", "audio/ogg", "Ogg audio"},
	{"fLaC", "audio/flac", "FLAC audio"},
	{"ID3", "audio/mpeg", "MP3 audio"},
	{"RIFF????WEBP", "image/webp", "a WebP image"},
	{"RIFF????WAVE", "audio/wav", "WAV audio"},
}

// sameTypes maps alternative names of types, and types that share their first bytes, to the usual name.
var sameTypes = map[string]string{
	"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "audio/mp3": "audio/mpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav",
	"audio/vnd.wave": "audio/wav", "audio/opus": "audio/ogg", "audio/vorbis": "audio/ogg", "application/ogg": "audio/ogg",
	"video/ogg": "audio/ogg", "audio/x-flac": "audio/flac", "image/apng": "image/png", "application/x-pdf": "application/pdf",
}

// misspelled lists names that no registry has and that hosts and models reject.
var misspelled = map[string]bool{"image/jpg": true, "image/pjpeg": true, "audio/mp3": true}

// normalizeMIME returns a media type without parameters and in its usual spelling.
func normalizeMIME(mime string) string {
	mime = lint.MediaTypeOf(mime)
	if usual, ok := sameTypes[mime]; ok {
		return usual
	}
	return mime
}

// sniff detects the type of data from its beginning; both are empty if it is
// unknown.
func sniff(text []byte) (mime, name string) {
	const maxSniffed = 32 // characters: 24 bytes
	text = text[:min(len(text), maxSniffed)]
	head, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil || len(head) == 0 {
		return "", ""
	}
	for _, m := range magic {
		if hasMagic(head, m.begins) {
			return m.mime, m.name
		}
	}
	for _, ch := range head {
		if ch >= 0x7f || ch < ' ' && ch != '\n' && ch != '\r' && ch != '\t' {
			return "", ""
		}
	}
	return "text/plain", "text"
}

// hasMagic compares the first bytes; a question mark matches any.
func hasMagic(head []byte, with string) bool {
	if len(head) < len(with) {
		return false
	}
	for i := range len(with) {
		if with[i] != '?' && with[i] != head[i] {
			return false
		}
	}
	return true
}

func wrongMIME(c *lint.Context, b binary) {
	if b.mime == "" {
		return
	}
	at := lint.AtPointer(strings.TrimSuffix(strings.TrimSuffix(b.at.Path(), "data"), "blob") + "mimeType")
	declared := normalizeMIME(b.mime)
	if spelled := lint.MediaTypeOf(b.mime); misspelled[spelled] {
		c.For("name").Report(at, "real", "of the type "+declared, "got", lint.Quoted(b.mime))
		return
	}
	if b.kind == "image" && !strings.HasPrefix(declared, "image/") {
		c.Report(at, "real", "an image, since the block is one", "got", lint.Quoted(b.mime))
		return
	}
	mime, name := sniff(b.text())
	if mime != "" && mime != declared && contradicts(mime, declared) {
		c.Report(at, "real", name, "got", lint.Quoted(b.mime))
	}
}

// contradicts reports whether data of the detected type cannot be of the declared one: a type with known first
// bytes, or text.
func contradicts(detected, declared string) bool {
	for _, m := range magic {
		if m.mime == declared {
			return true
		}
	}
	return detected != "text/plain" && strings.HasPrefix(declared, "text/")
}

// hexEncoded names the file whose bytes are written in hexadecimal; empty for others.
func hexEncoded(text []byte) string {
	const head = 48 // characters: 24 bytes
	inner, err := hex.DecodeString(string(text[:min(len(text), head)/2*2]))
	if err != nil {
		return ""
	}
	if mime, name := sniff([]byte(base64.StdEncoding.EncodeToString(inner))); mime != "" && mime != "text/plain" {
		return name
	}
	return ""
}
