package rule

import (
	"encoding/json"
	"fmt"
	"strings"
)

// JSON is a finding in one line, for scripts. frame is the number of the line or
// row.
func (f *Finding) JSON(frame int) ([]byte, error) {
	line := struct {
		Rule     string `json:"rule"`
		Slug     string `json:"slug"`
		Severity string `json:"severity"`
		Fault    string `json:"responsible"`
		Frame    int    `json:"frame"`
		Path     string `json:"path"`
		Offset   *int   `json:"offset,omitempty"`
		Message  string `json:"message"`
		Hint     string `json:"fix"`
		Spec     string `json:"spec"`
		Times    int    `json:"times"`
	}{
		Rule: f.Rule.ID, Slug: f.Rule.Slug, Severity: f.Severity.String(), Fault: f.Fault.String(), Frame: frame,
		Path: f.Path, Message: f.Message, Hint: f.Hint, Spec: f.Rule.Spec, Times: f.Times,
	}
	if f.AtByte() {
		line.Offset = &f.Offset
	}
	return json.Marshal(line)
}

// AtByte reports whether the place is an offset.
func (f *Finding) AtByte() bool { return f.Offset >= 0 && f.Path == "" }

// Where is the place within the frame, empty for the whole frame.
func (f *Finding) Where() string {
	if f.AtByte() {
		return fmt.Sprintf("byte %d", f.Offset)
	}
	return f.Path
}

// Text is a finding in a few lines, for a bug report. frame is the name of the
// frame, such as "frame 12".
func (f *Finding) Text(frame string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s, %s): %s\n", f.Rule.ID, f.Rule.Slug, f.Severity, f.Fault, f.Message)
	if f.Hint != "" {
		b.WriteString(f.Hint + "\n")
	}
	place := frame
	if where := f.Where(); where != "" {
		place = strings.TrimSpace(place + " " + where)
	}
	if place != "" {
		b.WriteString("Place: " + place + "\n")
	}
	if f.Rule.Spec != "" {
		b.WriteString("Specification: " + f.Rule.Spec + "\n")
	}
	return b.String()
}
