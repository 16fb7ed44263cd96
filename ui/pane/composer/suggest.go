package composer

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sahilm/fuzzy"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/variables"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// suggestions are the candidates for the token at the cursor. The zero value shows
// none.
type suggestions struct {
	list []candidate
	selection
	from, to int // what they replace
	of       int // how many there are before the typed text selects
}

func (s *suggestions) open() bool { return len(s.list) > 0 }

// maxComplete is how far into a text the cursor may be for completion: the text before
// it is read at each key.
const maxComplete = 64 << 10

// suggest looks for candidates at the cursor. While text is being typed they show by
// themselves where they help; otherwise only a list that is open is renewed.
func (p *Pane) suggest(typing bool) {
	wasOpen := p.suggestions.open()
	p.suggestions = suggestions{}
	if !typing && !wasOpen {
		return
	}
	found := p.candidates(false)
	// A token that is complete needs no list, unless arguments can follow.
	if found.open() && (found.list[0].form != nil || len(found.list) > 1 || found.list[0].text != p.tokenText(found)) {
		p.suggestions = found
	}
}

func (p *Pane) tokenText(s suggestions) string {
	if p.focus == fieldMethod {
		return p.method.Value()
	}
	return p.params.Buffer().Head(s.to)[s.from:]
}

// candidates lists the candidates at the cursor. Unless they were asked for, an empty
// place has none.
func (p *Pane) candidates(asked bool) suggestions {
	if p.focus == fieldMethod {
		typed := p.method.Value()
		if typed == "" && !asked {
			return suggestions{}
		}
		return matching(p.methodCandidates(), typed, 0, len(typed))
	}
	buf := p.params.Buffer()
	if p.focus != fieldParams || buf.Offset() > maxComplete || p.opening != nil {
		return suggestions{}
	}
	text := buf.Head(maxComplete)
	at := scanPlace(text, min(buf.Offset(), len(text)))
	if !at.quoted && at.typed == "" && !asked {
		return suggestions{}
	}
	return matching(p.bodyCandidates(text, at), at.typed, at.from, at.to)
}

// matching selects the candidates that match what was typed, the best first.
func matching(all []candidate, typed string, from, to int) suggestions {
	s := suggestions{from: from, to: to, of: len(all)}
	if typed == "" {
		s.list = all
		return s
	}
	if len(all) > maxFuzzy {
		s.list = containing(all, typed)
		return s
	}
	labels := make([]string, len(all))
	for i, c := range all {
		labels[i] = c.label
	}
	for _, hit := range fuzzy.Find(typed, labels) {
		s.list = append(s.list, all[hit.Index])
	}
	return s
}

// maxFuzzy is how many candidates are matched letter by letter. Of more, those are
// listed that contain what was typed, maxListed at most.
const (
	maxFuzzy  = 1000
	maxListed = 200
)

func containing(all []candidate, typed string) []candidate {
	typed = strings.ToLower(typed)
	var first, others []candidate
	for _, c := range all {
		switch at := strings.Index(strings.ToLower(c.label), typed); {
		case at == 0 && len(first) < maxListed:
			first = append(first, c)
		case at > 0 && len(others) < maxListed:
			others = append(others, c)
		}
	}
	found := append(first, others...)
	return found[:min(len(found), maxListed)]
}

// complete opens the candidates. Where there are none it goes on to the next field.
func (p *Pane) complete() action.Action {
	if p.focus == fieldMethod {
		if _, whole := revision.Lookup(p.method.Value()); whole {
			p.next()
			return nil
		}
	}
	found := p.candidates(true)
	switch {
	case len(found.list) == 1:
		p.suggestions = found
		p.insert(false)
		return nil
	case found.open():
		p.suggestions = found
		return nil
	case p.focus != fieldParams:
		p.next()
		return nil
	}
	return action.Leave{Forward: true}
}

// suggestionKey takes a key while candidates show.
func (p *Pane) suggestionKey(key string) bool {
	cmd, ok := command.Lookup(command.Suggestions, key)
	if !ok || cmd.Context != command.Suggestions {
		return false
	}
	s := &p.suggestions
	switch cmd.ID {
	case command.Up:
		s.at = (s.at + len(s.list) - 1) % len(s.list)
	case command.Down:
		s.at = (s.at + 1) % len(s.list)
	case command.InsertSuggestion:
		p.insert(false)
	case command.Accept:
		p.insert(true)
	case command.Dismiss:
		p.suggestions = suggestions{}
	default:
		return false
	}
	return true
}

// insert puts the selected candidate into the text; with its arguments, if it is the
// name of a tool or prompt and the text has none.
func (p *Pane) insert(withArguments bool) {
	s := p.suggestions
	c := s.list[s.at]
	p.suggestions = suggestions{}
	if p.focus == fieldMethod {
		p.method.SetValue(c.text)
		p.next()
		return
	}
	buf := p.params.Buffer()
	text := c.text
	if c.after == "" {
		text = p.literal(text)
	}
	if c.after != "" && !strings.HasPrefix(strings.TrimLeft(p.textAfter(s.to), " \t"), ":") {
		text += c.after
	}
	buf.Replace(s.from, s.to, text)
	switch {
	case strings.HasSuffix(text, `""`), strings.HasSuffix(text, "{}"), strings.HasSuffix(text, "[]"):
		if c.after != "" {
			buf.SetOffset(s.from + len(text) - 1)
		}
	case withArguments && c.form != nil:
		p.addArguments(c)
	}
	if c.after != "" {
		p.suggest(true)
	}
}

// literal is JSON of the server as it is written into the text.
func (p *Pane) literal(raw string) string {
	if p.raw {
		return raw
	}
	return string(variables.LiteralJSON([]byte(raw)))
}

func (p *Pane) textAfter(at int) string {
	head := p.params.Buffer().Head(at + 64)
	return head[min(at, len(head)):]
}

// addArguments adds the arguments of a tool or prompt unless there are some. The text
// has to be JSON with its name.
func (p *Pane) addArguments(c candidate) {
	buf := p.params.Buffer()
	text, arguments := buf.Value(), p.literal(string(template(c.form())))
	if arguments == "" || !json.Valid([]byte(text)) {
		return
	}
	path := []string{"arguments"}
	if p.raw {
		path = []string{"params", "arguments"}
	}
	given, ok := jsonrpc.Member([]byte(text), path[0], path[1:]...)
	switch {
	case ok && countMembers(given) > 0:
		return
	case ok:
		raw := []byte(text)
		given, _ = jsonrpc.Member(raw, path[0], path[1:]...)
		at := cap(raw) - cap(given) // given is a part of raw
		buf.Replace(at, at+len(given), arguments)
	default:
		at := buf.Offset()
		buf.Replace(at, at, `,"arguments":`+arguments)
	}
	if !p.raw {
		p.params.Format()
	}
	if gap := emptyIn(buf.Value()); gap > 0 {
		buf.SetOffset(gap)
	}
}

// emptyIn is the place inside of the first empty string of the arguments.
func emptyIn(text string) int {
	start := strings.Index(text, `"arguments"`)
	if start < 0 {
		return 0
	}
	if gap := strings.Index(text[start:], `""`); gap >= 0 {
		return start + gap + 1
	}
	return 0
}

// maxSuggestions is how many candidates show at a time.
const maxSuggestions = 8

// suggestionRows paints the candidates as a box of at most w cells.
func (p *Pane) suggestionRows(pal *paint.Palette, w int) []string {
	s := &p.suggestions
	shown := min(len(s.list), maxSuggestions)
	from, to := s.window(shown, len(s.list))
	label := 0
	widest := 0
	var details []string
	for _, c := range s.list[from:to] {
		label = max(label, min(paint.Width(paint.Sanitize(c.label)), 40))
		details = append(details, pal.Label(c.describe(), 200))
		widest = max(widest, paint.Width(details[len(details)-1]))
	}
	w = min(w, max(label+widest+8, 44))
	var body []string
	for i := from; i < to; i++ {
		c := s.list[i]
		r := pal.Row()
		base, bar := paint.Style{}, " "
		if i == s.at {
			base, bar = pal.Selected, pal.Bar
		}
		r.Start(w-2, base)
		r.Put(pal.Accent, bar)
		r.Cell(pal.AccentBold, c.label, label)
		r.Gap(2)
		r.Put(pal.Muted, details[i-from])
		body = append(body, r.String())
	}
	r := pal.Row()
	r.Start(w-2, paint.Style{})
	r.Gap(1)
	if s.list[s.at].form != nil {
		r.Spans(hint(pal, command.KeyIn(command.Suggestions, command.Accept, true), "insert with arguments")...)
		r.Gap(3)
		r.Spans(hint(pal, command.KeyIn(command.Suggestions, command.InsertSuggestion, true), "name only")...)
	} else {
		r.Spans(hint(pal, command.KeyIn(command.Suggestions, command.Accept, true), "insert")...)
	}
	r.Gap(3)
	r.Spans(hint(pal, command.KeyIn(command.Suggestions, command.Dismiss, true), "close")...)
	body = append(body, r.String())
	count := fmt.Sprintf("%d of %d", len(s.list), s.of)
	return paint.Box(pal, w, len(body)+2, true, nil, []paint.Span{{Style: pal.Muted, Text: count}}, body)
}
