package stderr

import (
	"cmp"
	"regexp"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
)

// A Form is the kind of a line, judged by its layout and not by its words.
type Form uint8

// The forms. The words of a line do not explain the end of a server, unless the line is an Error, or is Named
// and the words are its message.
const (
	Other   Form = iota // blank, source code, a frame of a stack trace, a property of an object
	Help                // the line is from a help text
	Info                // a log line of a level below warning, or advice about an error
	Warning             // a log line of that level
	Plain               // text of no recognizable kind
	Named               // begins with the name of a program: "python: can't open file"
	Error               // begins with a level or a type of error: "Error: ", "[ERROR] ", "npm error "
)

// Line is a line that a server or its launcher wrote.
type Line struct {
	Text    string // text as written, without colors, at most 500 bytes
	Message string // the part of Text after time, level, program name and error type; for a logger, with the error next to it
	Form    Form
}

// maxForm is the number of bytes of a line that are examined. Anything later is the middle of a long line, as
// in a bundle.
const maxForm = 500

var (
	colors = lazyregexp.New(`\x1b\[[0-9;]*m`)
	caret  = lazyregexp.New(`^\s*[\^~]+\s*$`)
	// place matches the line above the source code that Node.js shows: only a file and a line number.
	place     = lazyregexp.New(`^\S*[\w)\]]\.?\w*:\d+$`)
	stamp     = lazyregexp.New(`^[\[(]?(?:\d{4}[-/.]\d\d[-/.]\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?)?|\d\d:\d\d:\d\d(?:[.,]\d+)?)(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?[\])]?\s*(?:[-|]\s+)?`)
	klog      = lazyregexp.New(`^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ \S+\] `)
	logger    = lazyregexp.New(`^(?:\[[\w.:/ -]{1,40}\]:?|[\w.]{1,40} [-|])\s+`)
	level     = lazyregexp.New(`^(?:[\[(<|]\s*(?i:(` + levels + `))\s*[\])>|]:?|(?i:(` + levels + `)):|(` + strings.ToUpper(levels) + `)\b)[\s|-]*`)
	levelPair = lazyregexp.New(`\b(?:level|lvl|severity)="?(\w+)"?`)
	textPair  = lazyregexp.New(`\b(?:msg|message)=("(?:[^"\\]|\\.)*"|\S+)`)
	errorPair = lazyregexp.New(`\b(?:err|error)=("(?:[^"\\]|\\.)*"|\S+)`)
	class     = lazyregexp.New(`^(?:(?:Uncaught|Unhandled(?: [Ee]xception)?|--->|Caused by:?|Exception in thread "[^"]*")[.:]? )*(?:[\w$]+(?:\.|::))*[A-Za-z]*(?:Error|Exception|Fault|Interrupt)(?: \[[\w-]+\])?(?: \([^)]*\))?(?::\s*|$)`)
	tool      = lazyregexp.New(`^(?:npm (?:error|ERR!)|yarn error|pnpm:? ERR\w*|error(?:\[E\d+\]| TS\d+)?:|ERR_\w+\b|[Cc]aused by:|FATAL ERROR:|fatal error:|Fatal (?:process|JavaScript|Python)|fatal:|panic:|PHP (?:Fatal|Parse) error: |Traceback |thread '[^']*' panicked at)\s*`)
	// fault begins a sentence that states a failure.
	fault    = lazyregexp.New(`^(?:Error\b|ERROR\b|Fatal|[Ff]ailed to|[Cc]annot|[Cc]an't|[Cc]ould not|[Cc]ouldn't|[Uu]nable to|Missing|Invalid|Unrecognized|Segmentation fault|Bus error|Illegal instruction|Aborted|Killed)(?:\W|$)`)
	ruby     = lazyregexp.New("^(?:<internal:)?(?:/|[A-Z]:[/\\\\]|\\.{1,2}/|\\w[\\w-]*\\.rb:)\\S*(?::in) [`'][^']*': (.+ \\((?:[A-Z]\\w*::)*[A-Z]\\w*\\))$") // an exception that ends a program
	warning  = lazyregexp.New(`^(?:npm (?:warn|WARN)\s+|(?:\([\w:]+\) )?(?:\[\w+\] )?[A-Za-z]*Warning:\s*)`)
	program  = lazyregexp.New(`^(?:[A-Za-z]:)?[\w.@~+/\\-]+(?:\[\d+\])?: +`)
	link     = lazyregexp.New(`^https?://`) // after a label: "Docs: https://"
	usage    = lazyregexp.New(`(?i)^\s*usage(?::| of \S+:)`)
	heading  = lazyregexp.New(`(?i)^(?:usage|options|commands|arguments|positional arguments|flags|environment(?: variables)?|examples?)\b[^:]*:$`)
	option   = lazyregexp.New(`^\s+-{1,2}\w`)
	property = lazyregexp.New(`^\s+[\w$]+: `)
	// advice matches a line that advises what to do about an error, and does not describe the error.
	advice = lazyregexp.New(`(?i)^\W*(?:(?:possible |suggested |quick |recommended )?(?:solutions?|fix(?:es)?|remed(?:y|ies)|workarounds?|suggestions?|recommendations?|hints?|tips?|help|next steps?|what to do|how to (?:fix|solve|resolve)[^:]{0,20}|troubleshooting|see(?: also)?)\s*:|to (?:fix|resolve|solve|work around) (?:this|it|the)\b|if (?:the|this) (?:problem|error|issue) (?:persists|continues|remains)|please (?:report|file|contact)\b|for (?:more|further) (?:information|details|help)\b)`)
	// reasonHeading and adviceHeading are lines above a paragraph with the reason of a failure, or what to do about it.
	reasonHeading = lazyregexp.New(`(?i)^\s*(?:description|reason|cause|details?|problem|what went wrong)\s*:$`)
	adviceHeading = lazyregexp.New(`(?i)^\s*(?:action|solution|fix|remedy|try|to fix(?: this)?|how to fix(?: this)?|next steps?)\s*:$`)
	bullets       = "#│├╰╯─▶×✗✘❌⨯• \t"
)

// regular expressions for the levels of loggers
const (
	errorLevels   = `error|err|fatal|critical|crit|panic|severe|emerg|alert|exception`
	warningLevels = `warning|warn|wrn`
	levels        = errorLevels + `|` + warningLevels + `|info|inf|debug|dbg|trace|trc|verbose|notice|log|note|hint|tip|success`
)

// Read reads the newest lines, at most 200.
func Read(lines []string) []Line {
	lines = lines[max(0, len(lines)-maxLines):]
	read := make([]Line, len(lines))
	source, help, under := sourceIn(lines), false, Other
	for i, text := range lines {
		l := parse(text)
		switch {
		case source[i]:
			l.Form = Other
		case usage().MatchString(l.Text) || heading().MatchString(l.Text):
			help, l.Form = true, Help
		case help && !endsHelp(l, i > 0 && strings.TrimSpace(lines[i-1]) == ""), option().MatchString(l.Text):
			l.Form = Help
		default:
			help = false
		}
		switch {
		case reasonHeading().MatchString(l.Text):
			l.Form, under = Info, Error
		case adviceHeading().MatchString(l.Text):
			l.Form, under = Info, Info
		case under != Other && strings.TrimSpace(l.Text) != "":
			if l.Form != Other {
				l.Form = under
			}
			under = Other
		}
		read[i] = l
	}
	return read
}

// endsHelp reports whether a line within a help text is not part of it.
func endsHelp(l Line, afterBlank bool) bool {
	indented := strings.HasPrefix(l.Text, " ") || strings.HasPrefix(l.Text, "\t")
	return !indented && l.Text != "" && (l.Form == Error || afterBlank && !strings.HasSuffix(l.Text, ":") && !strings.Contains(l.Text, "  "))
}

// sourceIn marks the lines of source code that a runtime shows with an error, between the place and the carets.
// A line of a bundle would contain all its words.
func sourceIn(lines []string) []bool {
	const most = 6 // lines of source above a caret
	marked := make([]bool, len(lines))
	for i, l := range lines {
		switch {
		case caret().MatchString(l):
			marked[i] = true
			for n := i - 1; n >= max(0, i-most) && strings.TrimSpace(lines[n]) != ""; n-- {
				marked[n] = n == i-1 || isPlace(lines, n)
				if isPlace(lines, n) {
					for between := n; between < i; between++ {
						marked[between] = true
					}
					break
				}
			}
		case i > 0 && isPlace(lines, i-1):
			marked[i] = parse(l).Form != Error
		}
	}
	return marked
}

func isPlace(lines []string, i int) bool {
	return len(lines[i]) < maxForm && place().MatchString(strings.TrimSpace(lines[i]))
}

// parse reads one line.
func parse(text string) Line {
	text = colors().ReplaceAllString(text[:min(len(text), maxLine)], "")
	if strings.HasPrefix(text, "{") {
		return structured(text)
	}
	text = strings.ToValidUTF8(strings.TrimRight(text[:min(len(text), maxForm)], " \t\r\n"), "")
	l := Line{Text: text, Message: strings.TrimLeft(text, bullets), Form: Plain}
	if l.Message == "" || noise().MatchString(text) || property().MatchString(text) {
		return Line{Text: text}
	}
	if m := ruby().FindStringSubmatch(l.Message); m != nil {
		l.Form, l.Message = Error, m[1]
		return l
	}
	if advice().MatchString(l.Message) {
		l.Form = Info
		return l
	}
	if pair := levelPair().FindStringSubmatch(l.Message); pair != nil && strings.Contains(l.Message, "=") {
		l.Form = formOf(pair[1])
		l.Message = cmp.Or(withError(pairIn(textPair(), l.Message), pairIn(errorPair(), l.Message)), l.Message)
		return l
	}
	return l.prefixes()
}

// prefixes removes time, logger, level, name and type from the message.
func (l Line) prefixes() Line {
	if m := klog().FindStringSubmatch(l.Message); m != nil {
		l.Form = map[string]Form{"I": Info, "W": Warning, "E": Error, "F": Error}[m[1]]
		l.Message = l.Message[len(m[0]):]
		return l
	}
	const most = 8
	raise := func(f Form) { l.Form = max(l.Form, f) }
	for range most {
		rest := l.Message
		cut := func(prefix string) bool {
			l.Message = strings.TrimLeft(rest[len(prefix):], bullets)
			return prefix != ""
		}
		if cut(stamp().FindString(rest)) {
			continue
		}
		l.Message = rest
		if m := level().FindStringSubmatch(rest); m != nil {
			cut(m[0])
			f := formOf(m[1] + m[2] + m[3])
			if f < Plain { // a log line below the level of an error: its other words do not matter
				l.Form = f
				return l
			}
			raise(f)
			continue
		}
		if cut(warning().FindString(rest)) {
			l.Form = Warning
			return l
		}
		l.Message = rest
		if cut(tool().FindString(rest)) || cut(class().FindString(rest)) {
			raise(Error)
			if l.Message == "" {
				l.Message = rest
				return l
			}
			continue
		}
		l.Message = rest
		if fault().MatchString(rest) {
			raise(Error)
			return l
		}
		if cut(logger().FindString(rest)) {
			continue
		}
		l.Message = rest
		if prefix := program().FindString(rest); prefix != "" && !strings.Contains(prefix, "//") && !link().MatchString(rest[len(prefix):]) {
			cut(prefix)
			raise(Named)
			continue
		}
		return l
	}
	return l
}

// structured reads a line of JSON, as loggers write it.
func structured(text string) Line {
	frame := []byte(text)
	form := formOf(cmpText(frame, "level", "severity", "lvl"))
	if n, ok := jsonrpc.Integer(member(frame, "level")); ok { // pino
		form = Info
		if n >= 50 {
			form = Error
		} else if n >= 40 {
			form = Warning
		}
	}
	failed := cmpText(frame, "error", "err")
	if failed == "" {
		failed = cmp.Or(jsonrpc.Text(member(frame, "error"), "message"), jsonrpc.Text(member(frame, "err"), "message"))
	}
	return Line{Text: text, Message: withError(cmpText(frame, "msg", "message"), failed), Form: form}
}

// pairIn returns the value that a pattern catches in a line of pairs, without its quotation marks.
func pairIn(pattern *regexp.Regexp, line string) string {
	m := pattern.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	return strings.Trim(m[1], `"`)
}

// withError returns a message with the error that a logger wrote next to it, because that is the reason.
func withError(message, failed string) string {
	switch {
	case message == "" || failed == "":
		return message + failed
	case strings.Contains(message, failed):
		return message
	}
	return message + ": " + failed
}

func member(frame []byte, name string) []byte {
	value, _ := jsonrpc.Member(frame, name)
	return value
}

// cmpText returns the text of the first of some members that has one.
func cmpText(frame []byte, names ...string) string {
	for _, name := range names {
		if text := jsonrpc.Text(frame, name); text != "" {
			return text
		}
	}
	return ""
}

// formOf returns the form of a log line with a level. Without a level, it is [Other], because JSON may be
// anything.
func formOf(level string) Form {
	level = strings.ToLower(level)
	switch {
	case level == "":
		return Other
	case strings.Contains("|"+errorLevels+"|", "|"+level+"|"):
		return Error
	case strings.Contains("|"+warningLevels+"|", "|"+level+"|"):
		return Warning
	}
	return Info
}
