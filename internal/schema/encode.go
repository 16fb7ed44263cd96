package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/variables"
	"mcptea/internal/words/phrase"
)

// Encode returns the JSON of a text typed into the field. The error names the expected and the actual form.
func (fd *Field) Encode(text string) (json.RawMessage, error) {
	trimmed := strings.TrimSpace(text)
	if fd.nullable && trimmed == "null" && fd.Kind != String {
		return json.RawMessage("null"), nil
	}
	switch fd.Kind {
	case String:
		return quote(text), nil
	case Number, Integer:
		return fd.encodeNumber(trimmed)
	case Boolean:
		switch strings.ToLower(trimmed) {
		case "true", "yes", "on":
			return json.RawMessage("true"), nil
		case "false", "no", "off":
			return json.RawMessage("false"), nil
		}
		return nil, fmt.Errorf("expected true or false, found %s", found(trimmed))
	case Enum:
		if o, ok := fd.option(text); ok {
			return o.Value, nil
		}
		return nil, fmt.Errorf("expected one of %s, found %s", fd.labels(), found(trimmed))
	case Multi:
		return fd.encodeMulti(trimmed)
	}
	raw := json.RawMessage(trimmed)
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("%s; expected JSON (%s)", where(text, err), fd.Type)
	}
	return raw, nil
}

// where returns the place where a text stops being JSON, and the reason. The place is first,
// because it matters most if the text is truncated.
func where(text string, err error) string {
	var se *json.SyntaxError
	if !errors.As(err, &se) {
		return err.Error()
	}
	if strings.TrimSpace(text) == "" {
		return "nothing but blanks"
	}
	// The text was read from its first character that is not blank, and the offset includes the invalid byte;
	// at the end of input there is no such byte.
	lead := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	at, why := min(lead+max(int(se.Offset)-1, 0), len(text)), se.Error()
	if strings.HasPrefix(why, "unexpected end") {
		at, why = len(strings.TrimRightFunc(text, unicode.IsSpace)), "the JSON ends too early"
	}
	head := text[:at]
	start := strings.LastIndexByte(head, '\n') + 1
	return fmt.Sprintf("line %d, column %d: %s", strings.Count(head, "\n")+1, utf8.RuneCountInString(head[start:])+1, why)
}

func (fd *Field) encodeNumber(text string) (json.RawMessage, error) {
	raw := json.RawMessage(text)
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') || !json.Valid(raw) {
		return nil, fmt.Errorf("expected %s, found %s", article(fd.Kind), found(text))
	}
	if fd.Kind == Integer && !isInteger(text) {
		return nil, fmt.Errorf("expected an integer, found %s", found(text))
	}
	return raw, nil
}

// isInteger reports whether a text is an integer in the sense of JSON Schema: 1, 1.0 and 1e3 are.
func isInteger(text string) bool {
	if !strings.ContainsAny(text, ".eE") {
		return true
	}
	if len(text) > 400 || hugeExponent(text) {
		return false
	}
	r, ok := new(big.Rat).SetString(text)
	return ok && r.IsInt()
}

// hugeExponent keeps a short text from becoming a number of a million digits.
func hugeExponent(text string) bool {
	_, exp, ok := strings.Cut(strings.ToLower(text), "e")
	return ok && len(strings.TrimLeft(strings.TrimLeft(exp, "+-"), "0")) > 3
}

func article(k Kind) string {
	if k == Integer {
		return "an integer"
	}
	return "a " + k.String()
}

func found(text string) string {
	if text == "" {
		return "nothing"
	}
	return fmt.Sprintf("%q", phrase.Clip(text, 40))
}

func (fd *Field) labels() string {
	var names []string
	for _, o := range fd.Options {
		names = append(names, o.Label)
	}
	return phrase.Clip(strings.Join(names, ", "), 200)
}

// option finds a value by its label, else by its JSON or its bare text.
func (fd *Field) option(text string) (Option, bool) {
	for _, key := range []func(Option) string{
		func(o Option) string { return o.Label },
		func(o Option) string { return compact(o.Value) },
		func(o Option) string { return plain(o.Value) },
	} {
		for _, o := range fd.Options {
			if k := key(o); k == text || k == strings.TrimSpace(text) {
				return o, true
			}
		}
	}
	if raw := []byte(strings.TrimSpace(text)); json.Valid(raw) { // 1 and 1.0 are one value
		return fd.listed(raw)
	}
	return Option{}, false
}

// encodeMulti takes labels with commas or line ends between them, or a JSON
// array of values.
func (fd *Field) encodeMulti(text string) (json.RawMessage, error) {
	var values []json.RawMessage
	if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &values) == nil {
		return json.RawMessage(text), nil
	}
	var out [][]byte
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' }) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		o, ok := fd.option(part)
		if !ok {
			return nil, fmt.Errorf("expected some of %s, found %s", fd.labels(), found(strings.TrimSpace(part)))
		}
		out = append(out, o.Value)
	}
	return jsonrpc.EncodeBatch(out...), nil
}

// Decode makes the text of a field from JSON, which Encode turns back into the same value.
func (fd *Field) Decode(raw json.RawMessage) string {
	if text, ok := fd.read(raw); ok {
		return text
	}
	return compact(raw)
}

// literal is like Decode, for a value of the schema, which contains no variables. Options are chosen and not
// resolved, so they stay unchanged.
func (fd *Field) literal(raw json.RawMessage) string {
	switch {
	case fd.chooses():
		return fd.Decode(raw)
	case fd.Kind == JSON:
		return fd.Decode(variables.LiteralJSON(raw))
	}
	return variables.Literal(fd.Decode(raw))
}

// chooses reports whether the text is made of Options.
func (fd *Field) chooses() bool { return fd.Kind == Enum || fd.Kind == Multi }

// listed returns the option with a value.
func (fd *Field) listed(raw json.RawMessage) (Option, bool) {
	value := jsonrpc.MeaningOf(raw)
	i := slices.IndexFunc(fd.Options, func(o Option) bool { return value.Is(o.Value) })
	if i < 0 {
		return Option{Label: compact(raw)}, false
	}
	return fd.Options[i], true
}
