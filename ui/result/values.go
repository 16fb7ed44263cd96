package result

import (
	"mcptea/client/jsonrpc"
	"mcptea/offer/content"
)

// BodyOfValues shows JSON values below each other: arrays of objects as tables, strings as texts. err tells why
// there are no more, or is nil if these are all.
func BodyOfValues(values [][]byte, err error) *Body {
	v := emptyBody()
	for i, raw := range values {
		if i > 0 && (isNested(raw) || isNested(values[i-1])) {
			v.text.blocks = append(v.text.blocks, gap{})
		}
		if text, ok := jsonrpc.Unquote(raw); ok && len(raw) > 0 && raw[0] == '"' {
			v.text.blocks = append(v.text.blocks, shownText(content.TextOf("", text)))
			continue
		}
		v.text.blocks = append(v.text.blocks, jsonParts(raw)...)
	}
	switch {
	case err != nil:
		v.text.blocks = append(v.text.blocks, note{what: err.Error(), warn: true})
	case len(values) == 0:
		v.text.blocks = append(v.text.blocks, note{what: "The filter makes no value of it."})
	}
	if len(values) == 1 {
		v.raw = values[0]
		v.items = []content.Item{content.Filtered(v.raw)}
	}
	return v
}

func isNested(raw []byte) bool { return len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') }

// JSON returns the result or the error as sent. The caller must not change it.
func (v *Body) JSON() []byte { return v.raw }
