package failure

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// specificity is how closely the evidence that a row requires is tied to one cause. It is computed from the conditions
// of the row. Of the rows that fit a failure, a decisive one speaks before one that is not: see [supersedes].
type specificity uint8

// The kinds of evidence, the least specific first.
const (
	general  specificity = iota // none: any failure can have the advice
	wide                        // words that messages about many things have
	numbered                    // a status, a code, or the type of an error
	worded                      // words about one thing
	factual                     // a fact of the exchange
	naming                      // words that name the thing
)

var specificityNames = [...]string{"general", "wide", "numbered", "worded", "factual", "naming"}

func (s specificity) String() string { return specificityNames[s] }

// isDecisive reports whether evidence is about one cause, and not about a class of failures.
func (s specificity) isDecisive() bool { return s >= worded }

// compare compares kinds of evidence by whether they are decisive. Among decisive ones, the order of the rows counts.
func (s specificity) compare(other specificity) int {
	switch {
	case s.supersedes(other):
		return 1
	case other.supersedes(s):
		return -1
	}
	return 0
}

// supersedes reports whether evidence speaks although a row that fits the same failure was found before.
func (s specificity) supersedes(before specificity) bool {
	return s.isDecisive() && !before.isDecisive()
}

var (
	// numberFacts are facts whose value is a number or a type that many failures have.
	numberFacts = strings.Fields("status class code error_code verb is method private meanings no_code called")
	// circumstances are facts that hold for a whole attempt, whatever its failure is.
	circumstances = strings.Fields("connected stdio transport pinned own_message rpc empty spoken challenge scheme token_sent to_same https plain_http older usable launched_by arguments_fit handshake_done account said reports words syntax crash_package crash_caller")
)

// specificityOf returns the kind of the evidence that a row requires.
func (r *row) specificityOf() specificity {
	if r.Generic {
		return general
	}
	kind := general
	for name, want := range r.When {
		switch {
		case want == "", slices.Contains(circumstances, name):
		case slices.Contains(numberFacts, name) && (r.Where != "exit" || want == "0"): // other exit codes of rows have one meaning
			kind = max(kind, numbered)
		default:
			kind = max(kind, factual)
		}
	}
	if r.Match == "" {
		return kind
	}
	expression, err := syntax.Parse(r.Match, syntax.Perl)
	if err != nil {
		return kind
	}
	switch {
	case catchesNumber(expression):
		return max(kind, numbered)
	case catchesName(expression) && (!isWide(expression) || catchesShape(expression)):
		return naming
	case isWide(expression):
		return max(kind, wide)
	}
	return max(kind, worded)
}

// groups returns the groups of an expression that catch something.
func groups(re *syntax.Regexp) (all []*syntax.Regexp) {
	if re.Op == syntax.OpCapture {
		return []*syntax.Regexp{re.Sub[0]}
	}
	for _, sub := range re.Sub {
		all = append(all, groups(sub)...)
	}
	return all
}

// catchesNumber reports whether an expression catches only digits, such as a status within a message.
func catchesNumber(re *syntax.Regexp) bool {
	caught := groups(re)
	return len(caught) > 0 && !slices.ContainsFunc(caught, func(g *syntax.Regexp) bool {
		return slices.ContainsFunc(shortest(g), func(text string) bool { return strings.Trim(text, "0123456789 ") != "" }) || !hasDigit(g)
	})
}

func hasDigit(re *syntax.Regexp) bool {
	for _, text := range shortest(re) {
		if strings.ContainsAny(text, "0123456789") {
			return true
		}
	}
	return false
}

// catchesName reports whether a group of an expression catches one word that the expression does not prescribe.
func catchesName(re *syntax.Regexp) bool {
	return slices.ContainsFunc(groups(re), func(g *syntax.Regexp) bool { return isOpen(g) && !canHaveSpace(g) })
}

// catchesShape reports whether a group of an expression catches names of a form that words of a language do not have,
// such as x-api-key.
func catchesShape(re *syntax.Regexp) bool {
	return slices.ContainsFunc(groups(re), func(g *syntax.Regexp) bool {
		return isOpen(g) && !slices.ContainsFunc(shortest(g), func(text string) bool { return !strings.ContainsAny(text, "-_.:/@") })
	})
}

// isOpen reports whether an expression matches texts that it does not prescribe.
func isOpen(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpCharClass:
		return size(re) > maxChoice
	}
	return slices.ContainsFunc(re.Sub, isOpen)
}

// canHaveSpace reports whether an expression matches texts of several words.
func canHaveSpace(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpLiteral:
		return slices.Contains(re.Rune, ' ')
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= ' ' && ' ' <= re.Rune[i+1] {
				return true
			}
		}
	}
	return slices.ContainsFunc(re.Sub, canHaveSpace)
}

// maxChoice is the number of characters up to which a class is a choice within a word, such as [sz].
const maxChoice = 6

// size returns the number of characters of a class.
func size(class *syntax.Regexp) (n int) {
	for i := 0; i+1 < len(class.Rune); i += 2 {
		n += int(class.Rune[i+1]-class.Rune[i]) + 1
	}
	return n
}

// isWide reports whether an expression matches a text by nothing but common words.
func isWide(re *syntax.Regexp) bool {
	return slices.ContainsFunc(shortest(re), hasOnlyCommonWords)
}

func hasOnlyCommonWords(text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return !slices.ContainsFunc(words, func(w string) bool { return len(w) > 1 && !slices.Contains(commonWords, w) })
}

// commonWords are words of messages about anything. A message that shares only such words with a row has another
// subject, unless it shares a fact with the row, too.
var commonWords = strings.Fields(`
	must should have has match contain not include is are was been required require requires expected got received found
	have invalid value argument format type input option setting settings unknown unexpected missing field key property out
	range error errors failed failure the for with use available supported valid known accepted possible either any one this
	that does exist cannot find could unable need needs http https configured set provided given specified defined selected
	open loaded call invoke before using first no such configuration status code
	an be by do if in it of on or to`)

// maxShortest bounds the texts that are enumerated of an expression.
const maxShortest = 512

// shortest returns the shortest texts that an expression matches, one for each alternative, in lower case. A
// space stands for parts that match various texts.
func shortest(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}
	case syntax.OpCharClass:
		if size(re) > maxChoice || len(re.Rune) == 0 || canHaveSpace(re) {
			return []string{" "}
		}
		return []string{strings.ToLower(string(re.Rune[:1]))}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return []string{" "}
	case syntax.OpCapture, syntax.OpPlus:
		return shortest(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min == 0 {
			return []string{""}
		}
		return shortest(re.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			all = append(all, shortest(sub)...)
		}
		return all[:min(len(all), maxShortest)]
	case syntax.OpConcat:
		all := []string{""}
		for _, sub := range re.Sub {
			var longer []string
			for _, begin := range all {
				for _, rest := range shortest(sub) {
					longer = append(longer, begin+rest)
				}
			}
			all = longer[:min(len(longer), maxShortest)]
		}
		return all
	case syntax.OpWordBoundary:
		return []string{""}
	}
	return []string{""} // what is optional, and places
}
