package invoke

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/yosida95/uritemplate/v3"
)

// TemplateVariables returns the names of the variables of a template, in order.
func TemplateVariables(template string) ([]string, error) {
	t, err := uritemplate.New(template)
	if err != nil {
		return nil, err
	}
	return t.Varnames(), nil
}

// ExpandTemplate puts values into a template. A variable without a value is left out,
// as the RFC requires. After an error it returns the template.
func ExpandTemplate(template string, values map[string]string) (string, error) {
	t, err := uritemplate.New(template)
	if err != nil {
		return template, err
	}
	all := uritemplate.Values{}
	for name, value := range values {
		all.Set(name, uritemplate.String(octets(value)))
	}
	uri, err := t.Expand(all)
	if err != nil {
		return template, err
	}
	return escapeLiterals(uri), nil
}

// escapeLiterals percent-encodes non-ASCII characters (section 3.1). Those in values are encoded already.
func escapeLiterals(uri string) string {
	var b strings.Builder
	for i := range len(uri) {
		if uri[i] < utf8.RuneSelf {
			b.WriteByte(uri[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", uri[i])
		}
	}
	return b.String()
}

// octets makes each byte of a text a separate character. The library escapes code points where the RFC (section
// 1.6) requires the bytes of their UTF-8; for these characters the two are equal.
func octets(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}
