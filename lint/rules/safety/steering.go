package safety

import (
	"regexp"
	"slices"
	"strings"

	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// A steer is a kind of text that makes a model act against its user.
type steer struct {
	what  string   // effect of the text, for the message
	words []string // words in lower case; a text without any of them is not searched
	form  func() *regexp.Regexp
}

// steers lists the kinds in the order of the search. A form is a sentence that instructs the model.
// A description may say what a tool itself does with a key or a file.
var steers = []steer{
	{"tells a model to conceal something from the user", []string{"user", "human", "any", "people"}, lazyregexp.New(`(?i)\b(?:do not|don't|never|without|avoid)\s+(?:(?:ever|directly|explicitly)\s+)?(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|notify(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|alert(?:ing)?|let(?:ting)?)\b[^.!\n]{0,60}\b(?:users?|humans?|any(?:one|body)|people)\b`)},
	{"tells a model to conceal something from the user", []string{"user", "human"}, lazyregexp.New(`(?i)\b(?:keep|hide|conceal)\b[^.!\n]{0,50}\b(?:secret|hidden|from|invisible)\b[^.!\n]{0,20}\b(?:users?|humans?)\b`)},
	{"tells a model to disregard what it was told", []string{"ignore", "disregard", "forget", "override", "bypass"}, lazyregexp.New(`(?i)\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|the|your|every)\s+){0,3}(?:previous|prior|above|earlier|preceding|other|existing|system|safety)\s+(?:\w+\s+)?(?:instructions?|prompts?|rules?|guidelines?|directions?|restrictions?)\b`)},
	{"names private files of the user", []string{"~/.", "id_rsa", "id_ed25519", "/etc/passwd", "/etc/shadow", "claude_desktop_config"}, lazyregexp.New(`(?i)\b(?:read|open|cat|load|fetch|include|attach|append|send|pass|provide|copy|upload)\b[^!\n]{0,70}?(?:~/\.(?:ssh|aws|config|cursor|claude|netrc|npmrc|kube|gnupg|docker)\b|\bid_(?:rsa|ed25519)\b|/etc/(?:passwd|shadow)\b|\bclaude_desktop_config\.json\b)`)},
	{"speaks of the content of secrets", []string{"content", "value", "text"}, lazyregexp.New(`(?i)\b(?:contents?|values?|text)\s+of\s+(?:[\w']+\s+){0,4}?(?:\W?[\w./~-]*\.env\b|(?:api keys?|passwords?|access tokens?|private keys?|ssh keys?|credentials|environment variables)\b)`)},
	{"tells a model to pass on the conversation", []string{"conversation", "chat", "system prompt"}, lazyregexp.New(`(?i)\b(?:include|pass|send|provide|copy|put|append)\b[^.!\n]{0,40}\b(?:whole|full|entire|complete)\s+(?:conversation|chat)\b|\b(?:include|pass|send|provide|copy|put|append|reveal)\b[^.!\n]{0,30}\byour\s+system\s+prompt\b`)},
	{"is marked up as if the system had written it", []string{"<", "[inst", "[/inst"}, lazyregexp.New(`(?i)<\s*/?\s*(?:important|system|secret|hidden|instructions?|admin|critical)\s*>|\[/?INST\]|<\|(?:im_start|im_end|system|endoftext)\|>|<<SYS>>`)},
	{"tells a model how to use the tools of other servers", []string{"other", "another"}, lazyregexp.New(`(?i)\b(?:tools?|functions?)\s+(?:of|from|on|in|by)\s+(?:(?:the|any|all|every)\s+)?(?:other|another)\s+(?:mcp\s+)?servers?\b|\b(?:before|after|whenever|when)\s+(?:(?:you\s+)?(?:using|calling|running|use|call|run)\s+)(?:any|all|every)\s+other\s+(?:tools?|functions?)\b`)},
}

// steeringText reports the first text in each entry of a list, and in the instructions, that instructs a model
// to act against its user.
func steeringText(c *lint.Context) {
	inModelTexts(c, maySteer, func(path []any, text string) bool {
		if slices.Contains(unread, path[len(path)-1]) {
			return false
		}
		what, found := steering(text)
		if found == "" {
			return false
		}
		at := lint.At(path...)
		c.Report(at, "place", at.Path(), "what", what, "text", lint.Quoted(phrase.Clip(found, maxShownText)))
		return true
	})
}

// steering returns the effect of a text on a model, and the words that cause it, or "".
func steering(text string) (what, found string) {
	lower := strings.ToLower(text)
	for i := range steers {
		s := &steers[i]
		if !slices.ContainsFunc(s.words, func(word string) bool { return strings.Contains(lower, word) }) {
			continue
		}
		if found := s.form().FindString(text); found != "" {
			return s.what, found
		}
	}
	return "", ""
}

// maySteer reports whether a string token is long enough for such a text: "[INST]" is the shortest.
func maySteer(token []byte) bool { return len(token) >= len(`"[INST]"`) }
