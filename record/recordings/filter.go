package recordings

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Started returns the time of the first event, or the time of the file while it is unknown.
func (r *Recording) Started() time.Time {
	if r.Summary != nil && !r.Summary.Started.IsZero() {
		return r.Summary.Started
	}
	return r.Modified
}

// Server returns the name of the server: its own name, or else its target, or else the name of the file without its
// suffix.
func (r *Recording) Server() string {
	switch s := r.Summary; {
	case s == nil:
	case s.Server != "":
		return s.Server
	case s.Target != "":
		return s.Target
	}
	return strings.TrimSuffix(filepath.Base(r.Path), Suffix)
}

// Source names what wrote the recording: "inspector", a tap with the name of its server, another command of the
// program, or the recording that the session continued.
func (r *Recording) Source() string {
	if r.Tap != nil {
		return strings.TrimSpace("tap " + r.Tap.Name)
	}
	if r.Summary == nil {
		return ""
	}
	if r.Summary.Branch != "" {
		return "branch of " + r.Summary.Branch
	}
	words := strings.Fields(r.Summary.Tool) // name, version, command
	switch {
	case len(words) > 2:
		return strings.Join(words[2:], " ")
	case len(words) > 0 && words[0] != "mcptea":
		return r.Summary.Tool
	}
	return "inspector"
}

// Match compiles the words of a filter. A recording passes if it has all words, and no word after a dash.
// A word is searched in the data of the recording and in the texts shown for it, or it names a property:
// "server:tracker", "source:tap", "since:7d", "took:>1m", "size:<10k", "findings:>0".
func Match(words string, now time.Time) func(r *Recording, shown ...string) bool {
	type test struct {
		passes  func(r *Recording, text string) bool
		exclude bool
	}
	var tests []test
	for _, word := range strings.Fields(strings.ToLower(words)) {
		rest, exclude := strings.CutPrefix(word, "-")
		if rest == "" {
			continue // only the dash has been typed
		}
		passes := property(rest, now)
		if passes == nil {
			passes = func(_ *Recording, text string) bool { return strings.Contains(text, rest) }
		}
		tests = append(tests, test{passes, exclude})
	}
	return func(r *Recording, shown ...string) bool {
		text := strings.ToLower(strings.Join(append(shown, r.texts()...), "\n"))
		for _, t := range tests {
			if t.passes(r, text) == t.exclude {
				return false
			}
		}
		return true
	}
}

// texts returns the texts that are searched.
func (r *Recording) texts() []string {
	texts := []string{filepath.Base(r.Path), r.Source()}
	if r.Live {
		texts = append(texts, "live")
	}
	if r.Err != nil {
		texts = append(texts, "unreadable")
	}
	s := r.Summary
	if s == nil {
		return texts
	}
	texts = append(texts, s.Server, s.Target, s.Transport, s.Revision, s.Tool, s.Failure)
	for name, on := range map[string]bool{
		"findings": s.FindingErrors+s.FindingWarnings > 0, "errors": s.Errors > 0, "failed": s.Failure != "", "damaged": s.Damage != "",
	} {
		if on {
			texts = append(texts, name)
		}
	}
	for _, q := range s.Requests {
		texts = append(texts, q.Method, q.Name)
	}
	return texts
}

// property returns the test of a word that names a property, or nil.
func property(word string, now time.Time) func(r *Recording, text string) bool {
	name, value, ok := strings.Cut(word, ":")
	if at := strings.IndexAny(word, "<>"); !ok && at > 0 {
		name, value, ok = word[:at], word[at:], true // took>1m, as took:>1m
	}
	if !ok || value == "" {
		return nil
	}
	number := strings.TrimLeft(value, "<>")
	less := value[0] == '<'
	compare := func(want float64, known bool, of func(r *Recording) float64) func(*Recording, string) bool {
		if !known {
			return nil
		}
		return func(r *Recording, _ string) bool {
			if less {
				return of(r) < want
			}
			return of(r) > want || of(r) == want && value[0] != '>'
		}
	}
	contains := func(of func(r *Recording) string) func(*Recording, string) bool {
		return func(r *Recording, _ string) bool { return strings.Contains(strings.ToLower(of(r)), value) }
	}
	sum := func(of func(s *Summary) float64) func(r *Recording) float64 {
		return func(r *Recording) float64 {
			if r.Summary == nil {
				return 0
			}
			return of(r.Summary)
		}
	}
	switch name {
	case "server":
		return contains((*Recording).Server)
	case "source":
		return contains((*Recording).Source)
	case "since":
		ago, known := duration(number)
		return compare(float64(now.Add(-ago).Unix()), known, func(r *Recording) float64 { return float64(r.Started().Unix()) })
	case "took":
		d, known := duration(number)
		return compare(d.Seconds(), known, sum(func(s *Summary) float64 { return s.Duration().Seconds() }))
	case "size":
		n, known := count(number)
		return compare(n, known, func(r *Recording) float64 { return float64(r.Size) })
	case "findings":
		n, known := count(number)
		return compare(n, known, sum(func(s *Summary) float64 { return float64(s.FindingErrors + s.FindingWarnings) }))
	}
	return nil
}

// duration returns a time such as 90s or 7d.
func duration(text string) (d time.Duration, ok bool) {
	if days, is := strings.CutSuffix(text, "d"); is {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err == nil
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}

// count returns a number such as 12 or 10k.
func count(text string) (n float64, ok bool) {
	unit := 1.0
	for suffix, factor := range map[string]float64{"k": 1e3, "m": 1e6, "g": 1e9} {
		if rest, is := strings.CutSuffix(text, suffix); is {
			text, unit = rest, factor
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	return n * unit, err == nil
}
