package secret

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
)

// JSON returns a JSON text, such as a frame, with its secrets redacted: strings and numbers of members that
// [IsField] accepts, values next to a secret name ({"name": "API_KEY", "value": …}), and secrets that [Find]
// recognizes in the other strings. All other bytes stay unchanged, so that a valid text stays valid.
//
// Values that a name identifies as secret are added to known, and redacted in this and in later texts, because
// a server may repeat values that it received; known may be nil. more redacts additional values of the caller,
// and may be nil. A text that is not JSON is redacted as prose. The result may be the argument.
func JSON(text []byte, known *Values, more func(string) string) []byte {
	r := newRedactor(known, more)
	defer r.release()
	r.learns = known != nil
	return r.redact(text, jsonrpc.IsGrammatical(text))
}

// IsClean reports whether [JSON] returns its argument unchanged. It adds nothing to known. valid reports that
// the text is known to be JSON.
func IsClean(text []byte, valid bool, known *Values, more func(string) string) bool {
	r := newRedactor(known, more)
	defer r.release()
	return bytes.Equal(text, r.redact(text, valid || jsonrpc.IsGrammatical(text)))
}

// redactors holds unused redactors, with the memory of their stacks.
var redactors = sync.Pool{New: func() any { return new(jsonRedactor) }}

func newRedactor(known *Values, more func(string) string) *jsonRedactor {
	r, _ := redactors.Get().(*jsonRedactor)
	r.known, r.more = known, more
	return r
}

func (r *jsonRedactor) release() {
	if cap(r.stack) > 64 {
		r.stack = nil
	}
	clear(r.stack[:cap(r.stack)]) // the text is not held
	*r = jsonRedactor{stack: r.stack[:0]}
	redactors.Put(r)
}

func (r *jsonRedactor) redact(text []byte, valid bool) []byte {
	if !valid {
		return redactProse(text, r.known, r.more)
	}
	r.text = string(text) // once, and not each string in it
	r.forms = r.known.searched()
	if r.walk(); r.out == nil {
		return text
	}
	return append(r.out, r.text[r.copied:]...)
}

func redactProse(text []byte, known *Values, more func(string) string) []byte {
	redacted := known.Redact(Text(string(text)))
	if more != nil {
		redacted = more(redacted)
	}
	if redacted == string(text) {
		return text
	}
	return []byte(redacted)
}

// jsonRedactor walks over the tokens of a valid JSON text, in one pass.
type jsonRedactor struct {
	text    string
	known   *Values
	forms   *matcher // forms of the known values
	learns  bool     // adds to known
	learned int      // number of values of the text that forms does not have
	updates int      // number of times that forms was made for the text
	more    func(string) string
	out     []byte // output, or nil until something is redacted
	copied  int    // bytes of text that are in out, or replaced
	stack   []jsonLevel
}

// jsonLevel is an object or an array around the place of the walk.
type jsonLevel struct {
	array bool
	value bool   // the next token of the object is a value
	name  string // name of the member; for an array the name of the member whose value it is
	label string // the value of a member such as "name"
}

func (r *jsonRedactor) walk() {
	for i := 0; i < len(r.text); i++ {
		switch ch := r.text[i]; ch {
		case '{':
			r.stack = append(r.stack, jsonLevel{})
		case '[':
			r.stack = append(r.stack, jsonLevel{array: true, name: r.name()})
		case '}', ']':
			r.stack = r.stack[:len(r.stack)-1]
		case ':':
			r.stack[len(r.stack)-1].value = true
		case ',':
			if top := &r.stack[len(r.stack)-1]; !top.array {
				top.value = false
			}
		case '"':
			end, _ := jsonrpc.StringEnd(r.text, i)
			r.string(i, end)
			i = end - 1
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			end := i + 1
			for end < len(r.text) && strings.IndexByte("+-.eE0123456789", r.text[end]) >= 0 {
				end++
			}
			r.number(i, end)
			i = end - 1
		}
	}
}

// unescaped returns the value of a valid string token.
func unescaped(token string) (value string) {
	_ = json.Unmarshal([]byte(token), &value)
	return value
}

func (r *jsonRedactor) name() string {
	if len(r.stack) == 0 {
		return ""
	}
	return r.stack[len(r.stack)-1].name
}

func (r *jsonRedactor) string(start, end int) {
	value := r.text[start+1 : end-1]
	if strings.IndexByte(value, '\\') >= 0 {
		value = unescaped(r.text[start:end])
	}
	if len(r.stack) == 0 {
		r.replace(start, end, value, r.prose(value))
		return
	}
	top := &r.stack[len(r.stack)-1]
	if !top.array && !top.value {
		top.name = value
		r.replace(start, end, value, r.extra(value))
		return
	}
	if !top.array && isLabel(top.name) {
		top.label = value
	}
	if value != "" && (isSecretMember(top.name, value) || !top.array && top.name == "value" && IsField(top.label)) {
		if r.learns && r.known.learn(strings.Clone(value)) {
			r.learned++
		}
		r.replace(start, end, value, Mark)
		return
	}
	r.replace(start, end, value, r.prose(value))
}

// prose redacts a string that no name marks as secret.
func (r *jsonRedactor) prose(value string) string {
	r.update()
	redacted, _ := r.forms.redact(Text(value))
	return r.extra(redacted)
}

// update makes the search find the added values. This takes much longer than adding one value: after maxLearned
// updates, the search is only updated after every maxLearned added values.
func (r *jsonRedactor) update() {
	if r.learned > 0 && r.updates < maxLearned || r.learned >= maxLearned {
		r.forms, r.learned = r.known.searched(), 0
		r.updates++
	}
}

// isDigits reports whether a number is only digits.
func isDigits(number string) bool { return strings.Trim(number, "0123456789") == "" }

func (r *jsonRedactor) extra(value string) string {
	if r.more == nil {
		return value
	}
	return r.more(value)
}

func (r *jsonRedactor) number(start, end int) {
	value := r.text[start:end]
	if len(r.stack) > 0 && IsField(r.name()) {
		// A PIN or a number of a customer can be repeated in texts. Shorter numbers, such as limits, occur anywhere.
		if isDigits(value) && r.learns && r.known.learn(strings.Clone(value)) {
			r.learned++
		}
		r.replace(start, end, value, Mark)
		return
	}
	r.replace(start, end, value, r.extra(value))
}

// replace puts a string instead of a token whose value has changed.
func (r *jsonRedactor) replace(start, end int, value, redacted string) {
	if value == redacted {
		return
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(redacted) // a string always marshals
	r.out = append(r.out, r.text[r.copied:start]...)
	r.out = append(r.out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
	r.copied = end
}

// isLabel reports whether a member with this name names the value of the member "value" of the same object, as
// in lists of headers and variables.
func isLabel(name string) bool {
	switch name {
	case "name", "key", "header", "variable":
		return true
	}
	return false
}

// isSecretMember reports whether the value of a member is secret: because its name is unambiguous, or because
// its name mentions a secret and the value looks generated.
func isSecretMember(name, value string) bool {
	if !utf8.ValidString(name) || value == Mark {
		return false
	}
	if IsField(name) {
		return !isPlaceholder(value)
	}
	plain := normalized(name)
	return containsWord(name) && looksLikeToken(value) && !strings.Contains(value, "://") && !hasEnding(plain, publicTokens) && !hasEnding(plain, publicFacts)
}
