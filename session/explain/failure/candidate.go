package failure

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mcptea/internal/lazyregexp"
	"mcptea/record/stderr"
)

// A Strength is the kind of evidence for a cause.
type Strength uint8

// The strengths, weakest first.
const (
	Hints   Strength = iota // a line, or the absence of one, suggests it; the text says "may"
	Reports                 // a line in the form of an error, or a message of the peer
	Shows                   // an experiment whose requests differ in one thing
	Proves                  // an exit code, a signal, the error of an operation of mcptea, a status or a code
)

var strengthNames = [...]string{Hints: "hints", Reports: "reports", Shows: "shows", Proves: "proves"}

// String returns the name of the strength: "hints", "reports", "shows" or "proves".
func (s Strength) String() string { return strengthNames[s] }

// Strength returns the name of the strength of [Explanation.Cause], or "" if no cause is known.
func (e Explanation) Strength() string {
	if e.Cause() == "" {
		return ""
	}
	return e.Causes[0].Strength.String()
}

// UnmarshalText reads the name of a strength.
func (s *Strength) UnmarshalText(text []byte) error {
	i := slices.Index(strengthNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("no strength is called %q", text)
	}
	*s = Strength(i)
	return nil
}

// A Candidate is a possible cause of a failure. Text of a server in it is quoted.
type Candidate struct {
	Cause    string // a sentence, or "" if only advice is known
	Remedy   Remedy // advice; may be empty
	Strength Strength
	Generic  bool // the advice fits any failure of this kind
	Open     bool // an experiment may show more
	Composed bool // only the facts about what a message names explain it; no row is about the failure

	kind    specificity // of the evidence for the cause
	hedged  bool        // the cause says itself that it is only possible
	subject subject     // of the cause
	isOwn   bool        // the cause has no text that could be secret
}

// A Remedy is the advice about a cause.
type Remedy struct {
	ID     string // id of the row in failures.jsonl, or "" if the code wrote the advice
	Text   string // one or two sentences
	Action Action
	Value  string // object of the action, such as the name of a variable; may be untrusted
	Vague  bool   // the advice leaves it to the message what to do
}

// An Action names the way in which a program can carry out a remedy.
type Action string

// The actions. The zero value is advice that only the user can follow.
const (
	ActionToken Action = "token" // give an access token
	ActionFix   Action = "fix"   // correct the fault that the server has reported with a place in its source
	ActionLook  Action = "look"  // read the text beside the remedy

	ActionVariable       Action = "variable"        // set the environment variables that Value names
	ActionHeader         Action = "header"          // send the header Value
	ActionCommand        Action = "command"         // change the command, its arguments or its directory; Value is the new program
	ActionURL            Action = "url"             // change the URL; Value is a path, or ""
	ActionScheme         Action = "scheme"          // change http to https, or https to http
	ActionNamed          Action = "named"           // connect to the URL Value, which the server has named
	ActionProtocol       Action = "protocol"        // offer the protocol version Value
	ActionTransport      Action = "transport"       // use the transport Value
	ActionTrust          Action = "trust"           // trust the certificate that was presented
	ActionWait           Action = "wait"            // wait until the port accepts connections
	ActionConnectTimeout Action = "connect-timeout" // wait longer while connecting
	ActionTimeout        Action = "timeout"         // wait longer for a response
	ActionAgain          Action = "again"           // connect again
	ActionShell          Action = "shell"           // run the command in a shell
	ActionClient         Action = "client"          // authorize as a registered client
	ActionScope          Action = "scope"           // authorize with other scopes
	ActionLenient        Action = "lenient"         // continue past the violation of the server
)

var actions = []Action{
	ActionToken, ActionFix, ActionLook, ActionVariable, ActionHeader, ActionCommand, ActionURL, ActionScheme, ActionNamed, ActionProtocol,
	ActionTransport, ActionTrust, ActionWait, ActionConnectTimeout, ActionTimeout, ActionAgain, ActionShell,
	ActionClient, ActionScope, ActionLenient,
}

// UnmarshalText reads the name of an action.
func (a *Action) UnmarshalText(text []byte) error {
	if *a = Action(text); !slices.Contains(actions, *a) {
		return fmt.Errorf("no action is called %q", text)
	}
	return nil
}

// Cause returns the likely cause in a sentence: the strongest candidate, or, introduced by "may", several that
// are equally strong. It returns "" if no cause is known.
func (e Explanation) Cause() string {
	best := e.best()
	if len(best) == 0 {
		return ""
	}
	if len(best) == 1 {
		if c := best[0]; c.Strength > Hints || c.Cause == "" || c.hedged {
			return c.Cause
		}
	}
	var sentences, parts []string
	for _, c := range best {
		sentences, parts = append(sentences, c.Cause), append(parts, "that "+inSentence(c.Cause))
	}
	if !slices.ContainsFunc(best, func(c Candidate) bool { return !c.hedged }) {
		return strings.Join(sentences, " ")
	}
	return "It may be " + strings.Join(parts, ", or ") + "."
}

// Remedies returns the advice for each cause that [Explanation.Cause] names.
func (e Explanation) Remedies() []Remedy {
	var all []Remedy
	for _, c := range e.best() {
		if c.Remedy.Text != "" && !slices.ContainsFunc(all, func(r Remedy) bool { return r.Text == c.Remedy.Text }) {
			all = append(all, c.Remedy)
		}
	}
	return all
}

// Try returns the texts of [Explanation.Remedies] in one sentence.
func (e Explanation) Try() string {
	text := ""
	for _, r := range e.Remedies() {
		if text == "" {
			text = r.Text
			continue
		}
		text = strings.TrimSuffix(text, ".") + "; or " + lowerFirst(r.Text)
	}
	return text
}

// best returns the strongest candidates, at most two.
func (e Explanation) best() []Candidate {
	const most = 2
	n := 0
	for n < len(e.Causes) && n < most && e.Causes[n].Strength == e.Causes[0].Strength && e.Causes[n].kind.isDecisive() == e.Causes[0].kind.isDecisive() {
		n++
	}
	return e.Causes[:n]
}

// found adds the candidates that lines of output suggest.
func (e Explanation) found(lines []finding) Explanation {
	for _, f := range lines {
		e.Causes = append(e.Causes, f.Candidate)
	}
	return e
}

// rank puts the cause that follows from the end of the process before the causes that lines suggest, if its
// evidence is stronger.
func (e Explanation) rank() Explanation {
	switch {
	case len(e.Causes) == 0:
		if e.own.Cause != "" || e.own.Remedy.Text != "" {
			e.Causes = []Candidate{e.own}
		}
	case e.own.Cause != "" && e.own.Strength > e.Causes[0].Strength: // a line is better evidence than the absence of one
		e.Causes = append([]Candidate{e.own}, e.Causes...)
	}
	return e
}

// inSentence returns a sentence in the form it has inside another one.
func inSentence(text string) string { return lowerFirst(strings.TrimSuffix(text, ".")) }

// lowerFirst returns a text with a lower-case first letter, unless its first word is a name.
func lowerFirst(text string) string {
	if slices.Contains(lowered, firstWord(text)) {
		return strings.ToLower(text[:1]) + text[1:]
	}
	return text
}

// firstWord returns the first word of a sentence, without the punctuation behind it.
func firstWord(text string) string {
	first, _, _ := strings.Cut(text, " ")
	return strings.TrimRight(first, ",:;.")
}

// lowered holds the first words of causes and advice that are not names. A cause may begin with a name that a peer has
// chosen, so that no rule tells them apart.
var lowered = strings.Fields(`
	A Add All Allow An Another Ask Authorize Both Bring Build Call Carry Change Check Common Compare Configure
	Connect Consent Continue Convert Correct Create Credentials Declare Delete Do Earlier Enable End Environment
	Exempt Exit Files Fix For Free Get Give Grant Have Headers If Implement Import In Install Issue It Its Keep Let Look
	Make Measure Mend Messages Mount Move Name No Nothing Offer Omit One Only Open Other Pagination Pass Permit Pin Put
	Quote Raise Read Reconnect Register Remove Rename Renew Repeat Report Request Respond Restore Retry Return Run Search
	See Send Set Several Share Sign Something Specify Start Stdout Stop Such Tell That The There This Trust Try
	Turn Two Update Use Wait What Without Write
`)

// A lineKind selects the lines on which a match counts.
type lineKind string

// The zero value selects lines of the form [stderr.Error], outside of quotation marks, URLs and paths; of
// [stderr.Named], one of the messages that colons separate; of [stderr.Plain], the whole message.
const (
	// ownLine selects lines whose text alone is a report. The match is the start of the message.
	ownLine lineKind = "own"
	// anyLine selects log lines of any level. A match on them proves nothing.
	anyLine lineKind = "any"
)

// A finding is a candidate with the line that suggests it.
type finding struct {
	Candidate
	line string
}

// candidates returns the reasons for a failure that rows find in lines of a server or its launcher, strongest
// first. A row finds one line, and a line belongs to the first row that matches it. Two rows with the same
// cause count as one. The situation has the facts that speak against rows.
func candidates(s situation, lines []string, where ...string) []finding {
	lines = joined(lines)
	read := stderr.Read(lines)
	taken := make([]bool, len(read))
	var found, general []finding
	causes := map[guessText]bool{}
	lineAt := func(n int) string { return strings.TrimSpace(lines[max(0, len(lines)-len(read))+n]) }
	for _, where := range where {
		for i := range rows()[where] {
			r := &rows()[where][i]
			if !s.fulfills(r.When) || s.contradicts(r.Unless) {
				continue
			}
			n, caught := r.lineOf(read)
			if n < 0 || taken[n] {
				continue
			}
			taken[n] = true
			if causes[r.Cause] {
				continue
			}
			causes[r.Cause] = true
			f := finding{r.reason(s, nil, caught).Candidate, lineAt(n)}
			if r.General {
				general = append(general, f)
			} else {
				found = append(found, f)
			}
		}
	}
	if c, n, ok := sourceCause(s, read); ok {
		line := lineAt(n)
		found = append([]finding{{c, line}}, slices.DeleteFunc(found, func(f finding) bool { return f.line == line })...)
	}
	for _, f := range general {
		reported := f.Strength == Hints && stderr.IsReport(stderr.Decisive(lines)) // the help text follows from that
		if !reported && !slices.ContainsFunc(found, func(other finding) bool { return other.Strength >= f.Strength }) {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(b.Strength, a.Strength), b.kind.compare(a.kind))
	})
	return found
}

// decisive returns the line that explains why a server ended: the line of the best candidate, or an error line
// if that candidate is only a hint.
func decisive(lines []string, found []finding) string {
	line := stderr.Decisive(lines)
	if len(found) == 0 || found[0].Strength == Hints && stderr.IsReport(line) {
		return line
	}
	return found[0].line
}

// lineOf returns the index of the first line that matches a row, and the text that the row catches in it.
func (r *row) lineOf(lines []stderr.Line) (n int, caught string) {
	for i, l := range lines {
		if name, ok := r.matches(l); ok {
			return i, name
		}
	}
	return -1, ""
}

// matches reports whether a row matches a line, and returns the text that it catches.
func (r *row) matches(l stderr.Line) (caught string, ok bool) {
	if caught, ok = r.matchesWith(r.match(), r.Line, l); !ok && r.Own != "" {
		caught, ok = r.matchesWith(r.own(), ownLine, l)
	}
	return caught, ok
}

// matchesWith is like matches, for one expression and the lines that count for it.
func (r *row) matchesWith(expression *regexp.Regexp, kind lineKind, l stderr.Line) (caught string, ok bool) {
	text, start := l.Text, len(l.Text)-len(l.Message)
	if !strings.HasSuffix(l.Text, l.Message) { // a logger has encoded the message
		text, start = l.Message, 0
	}
	at := expression.FindStringSubmatchIndex(text)
	if at == nil || !r.counts(kind, l.Form, text, start, at[0], at[1]) {
		return "", false
	}
	for g := 2; g < len(at); g += 2 {
		if at[g] >= 0 && at[g] < at[g+1] {
			caught = text[at[g]:at[g+1]]
			break
		}
	}
	return caught, r.Not == "" || !r.not().MatchString(caught)
}

// counts reports whether a match, from one byte of a line to another, is the subject of the report in the line.
// The message begins at start.
func (r *row) counts(kind lineKind, form stderr.Form, text string, start, from, to int) bool {
	if strings.HasPrefix(text[from:], ": ") { // the pattern includes the separator of messages
		from += len(": ")
	}
	switch {
	case form == stderr.Other, form == stderr.Help && kind != ownLine:
		return false
	case kind == anyLine:
		return !isInside(text, from)
	case kind == ownLine:
		return (from == start || strings.Trim(text[:from], ornaments) == "") && (form > stderr.Warning || form == stderr.Help || form == stderr.Warning && r.Strength == Hints)
	case form == stderr.Error:
		return !isInside(text, from)
	case form == stderr.Named:
		return (from <= start || strings.HasSuffix(text[:from], ": ")) && ends().MatchString(text[to:])
	case form == stderr.Plain:
		return from <= start && to == len(text)
	}
	return false
}

// ends matches the text that may follow a message: nothing, another message, or a remark.
var ends = lazyregexp.New(`^(?:$|[:;,.]| \()`)

// ornaments holds the characters that some programs print before a line.
const ornaments = " \t│├╰─▶×✗•"

// repeated matches the parts of a message that repeat other text: quotations, URLs and paths.
var repeated = lazyregexp.New(`\w+://\S+|"[^"]*"|` + "`[^`]*`" + `|(?:^|[\s(\[{=:,])('[^']*')|(?:~|\.{0,2}|[A-Za-z]:)[/\\][\w.@+-]+[/\\][^\s"'` + "`" + `]*`)

// isInside reports whether a position is inside a part of a message that [repeated] matches.
func isInside(text string, at int) bool {
	for _, m := range repeated().FindAllStringSubmatchIndex(text, -1) {
		from, to := m[0], m[1]
		if m[2] >= 0 {
			from, to = m[2], m[3]
		}
		if from < at && at < to {
			return true
		}
	}
	return false
}
