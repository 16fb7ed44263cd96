package schema

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"
)

// Check returns the problems of arguments that the form can show: missing and unknown names, types, listed
// values, ranges, lengths, patterns. It checks only the first level, and its problems are only warnings.
func (f *Form) Check(args []byte) []FieldError {
	obj, ok := parseObject(args)
	if !ok {
		return []FieldError{{Msg: "expected a JSON object, found " + kindOf(args)}}
	}
	var errs []FieldError
	for i := range f.Fields {
		fd := &f.Fields[i]
		raw := obj.get(fd.Name)
		if raw == nil {
			if fd.Required {
				errs = append(errs, FieldError{fd.Name, "required"})
			}
			continue
		}
		if msg := fd.check(raw); msg != "" {
			errs = append(errs, FieldError{fd.Name, msg})
		}
	}
	if f.Closed {
		for _, m := range obj {
			if _, known := f.Field(m.name); !known {
				errs = append(errs, FieldError{m.name, "not in the schema, which allows no other properties"})
			}
		}
	}
	return errs
}

func (fd *Field) check(raw json.RawMessage) string {
	kind := kindOf(raw)
	if kind == "null" && fd.nullable {
		return ""
	}
	switch fd.Kind {
	case String:
		if kind != "string" {
			return "expected a string, found " + kind
		}
		return fd.checkText(plain(raw))
	case Number, Integer:
		if kind != "number" {
			return "expected " + article(fd.Kind) + ", found " + kind
		}
		return fd.checkNumber(string(raw))
	case Boolean:
		if kind != "boolean" {
			return "expected true or false, found " + kind
		}
	case Enum:
		if _, ok := fd.listed(raw); !ok {
			return fmt.Sprintf("expected one of %s, found %s", fd.labels(), found(plain(raw)))
		}
	case Multi:
		return fd.checkMulti(raw, kind)
	}
	return ""
}

func (fd *Field) checkText(s string) string {
	if msg := fd.checkLength(utf8.RuneCountInString(s), "characters"); msg != "" {
		if s == "" {
			return "required"
		}
		return msg
	}
	if fd.Pattern == "" || len(fd.Pattern) > 1000 {
		return ""
	}
	// Some patterns of ECMA-262 do not compile here; those are not checked.
	if re, err := regexp.Compile(fd.Pattern); err == nil && !re.MatchString(s) {
		return "expected a match of " + fd.Pattern + ", found " + found(s)
	}
	return ""
}

func (fd *Field) checkNumber(text string) string {
	if fd.Kind == Integer && !isInteger(text) {
		return "expected an integer, found " + text
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return ""
	}
	if fd.Min != nil && (v < *fd.Min || v == *fd.Min && fd.MinExclusive) {
		return fmt.Sprintf("expected %s %v, found %s", bound(fd.MinExclusive, "more than", "at least"), *fd.Min, text)
	}
	if fd.Max != nil && (v > *fd.Max || v == *fd.Max && fd.MaxExclusive) {
		return fmt.Sprintf("expected %s %v, found %s", bound(fd.MaxExclusive, "less than", "at most"), *fd.Max, text)
	}
	return ""
}

func bound(exclusive bool, strict, loose string) string {
	if exclusive {
		return strict
	}
	return loose
}

func (fd *Field) checkMulti(raw json.RawMessage, kind string) string {
	var values []json.RawMessage
	if json.Unmarshal(raw, &values) != nil || kind != "array" {
		return "expected an array, found " + kind
	}
	for _, v := range values {
		if _, ok := fd.listed(v); !ok {
			return fmt.Sprintf("expected some of %s, found %s", fd.labels(), found(plain(v)))
		}
	}
	return fd.checkLength(len(values), "values")
}

func (fd *Field) checkLength(n int, of string) string {
	switch {
	case fd.MinLen != nil && n < *fd.MinLen:
		return fmt.Sprintf("expected %d %s or more, found %d", *fd.MinLen, of, n)
	case fd.MaxLen != nil && n > *fd.MaxLen:
		return fmt.Sprintf("expected %d %s or fewer, found %d", *fd.MaxLen, of, n)
	}
	return ""
}
