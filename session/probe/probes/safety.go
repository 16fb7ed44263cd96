package probes

import (
	"encoding/json"
	"regexp"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
	"mcptea/session/lint"
	"mcptea/session/probe"
	"mcptea/session/schema"
)

// phrase is a wording that is looked for.
type phrase struct {
	name    string
	pattern func() *regexp.Regexp
}

// negation ends a text that turns what follows into its opposite.
var negation = lazyregexp.New(`(?i)\b(do not|don't|does not|doesn't|must not|mustn't|should not|shouldn't|cannot|can't|will not|won't|never|avoid|without|not to|refrain from)(\s+\w+){0,2}\s*$`)

// negationReach is how many bytes before a wording its negation may begin.
const negationReach = 60

// find is the first place of the wording in a text that is not negated; empty without
// one. Where the wording is a prohibition itself, a negation before it counts nothing.
func (p phrase) find(text string) string {
	for _, at := range p.pattern().FindAllStringIndex(text, -1) {
		before := text[max(0, at[0]-negationReach):at[0]]
		if p.name != sendsOut || !negation().MatchString(before) {
			return text[at[0]:at[1]]
		}
	}
	return ""
}

const sendsOut = "asks to send out private data"

// phrases are wordings that are meant for the model and not for the user.
var phrases = []phrase{
	{"overrides instructions", lazyregexp.New(`(?i)\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|all|system|other)\b.{0,30}\b(instructions?|prompts?|rules?|tools?)\b`)},
	{"has a tag for models", lazyregexp.New(`(?i)<\s*/?\s*(important|system|secret|hidden|instructions?|admin)\b[^>]*>`)},
	{"asks to conceal something from the user", lazyregexp.New(`(?i)\b(do not|don't|never|without)\b.{0,30}\b(tell|telling|mention|reveal|inform|show|notify)\w*\b.{0,30}\b(the )?(user|human)\b`)},
	{"demands to come before other tools", lazyregexp.New(`(?i)\b(before|prior to|instead of|whenever)\b.{0,40}\b(using|calling|invoking|any other|responding|answering)\b.{0,80}\b(must|always|first)\b`)},
	{"changes the role of the model", lazyregexp.New(`(?i)\byou (are now|must always|must never|have to always)\b`)},
	{sendsOut, lazyregexp.New(`(?i)\b(send|post|upload|forward|include|append|attach|pass)\b.{0,60}\b(conversation|chat history|system prompt|previous messages|api[_ -]?keys?|credentials?|passwords?|private key|\.env|cookies?)\b`)},
	{"names a file with secrets", lazyregexp.New(`(?i)(~/\.ssh|id_rsa|/etc/(passwd|shadow)|\.aws/credentials|\.cursor/mcp\.json|claude_desktop_config|\.netrc)`)},
	{"has concealed text", lazyregexp.New(`<!--.*?-->|[A-Za-z0-9+/]{160,}={0,2}|(\\x[0-9a-fA-F]{2}){8,}`)},
}

func injectionPhrases(r *probe.Run) {
	about := r.Case("the definitions")
	scan := func(subject, where, text string) {
		for _, p := range phrases {
			if m := p.find(text); m != "" {
				about.About(lint.Info, subject, "%s may be meant for models and not for users: it %s: %q.", where, p.name, cut(m, 80))
			}
		}
	}
	scan("instructions", "The text of instructions", r.Server.Handshake.Instructions)
	for _, kind := range client.ListKinds {
		for _, item := range r.Server.Items(kind) {
			name := jsonrpc.Text(item, "name")
			scan(strings.TrimSuffix(kind.Name, "s")+":"+name, "The definition of "+name, texts(item))
		}
	}
}

// texts are the strings of a definition, one a line.
func texts(definition []byte) string {
	var v any
	if json.Unmarshal(definition, &v) != nil {
		return ""
	}
	var b strings.Builder
	collect(&b, "", v)
	return b.String()
}

// collect writes strings, but not those of media.
func collect(b *strings.Builder, name string, v any) {
	switch v := v.(type) {
	case string:
		if name != "src" && name != "data" && name != "blob" && name != "uri" {
			b.WriteString(v + "\n")
		}
	case []any:
		for _, e := range v {
			collect(b, name, e)
		}
	case map[string]any:
		for name, e := range v {
			collect(b, name, e)
		}
	}
}

// cut is the beginning of a text, at most n characters.
func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n]) + "…"
	}
	return text
}

func secretEcho(r *probe.Run) {
	if frames := r.CanaryFrames(); len(frames) > 0 {
		r.Shown(frames[0]).About(lint.Warn, "", "The server sends the value of an environment variable, MCPTEA_CANARY, to the client: what a client sees, a model sees.")
	}
}

func falseReadOnly(r *probe.Run) {
	about := r.Case("tools/list")
	for _, t := range r.Server.Tools {
		if words := probe.ChangingWords(t.Name); t.Annotation("readOnlyHint") && len(words) > 0 {
			about.About(lint.Info, "tool:"+t.Name, "The tool %q is annotated as read-only, and may not be: its name has the word %q. It is not called without --allow.", t.Name, words[0])
		}
	}
}

// payloads are texts without an effect, and what they give when a shell or a
// template language evaluates them.
var payloads = []string{"mcptea$(printf probe)", "mcptea`printf probe`", "mcptea;printf mcptea''probe", "mcptea{{7*191}}", "mcptea${7*191}"}

// maxProperties bounds the properties that get payloads.
const maxProperties = 5

func argumentEvaluation(r *probe.Run) {
	c, tried := r.Shared(), 0
	for _, s := range r.Callables() {
		for _, f := range s.Form.Fields {
			if f.Kind != schema.String || f.Format != "" {
				continue
			}
			if tried++; tried > maxProperties {
				return
			}
			for _, p := range payloads {
				o, ok := r.Call(c, s.Name+" with "+f.Name+" = "+p, s.Name, parse(s.Arguments).with(f.Name, probe.JSON(p)).encode())
				if !ok {
					break
				}
				output := strings.ReplaceAll(string(o.Frame), p, "")
				if strings.Contains(output, "mcpteaprobe") || strings.Contains(output, "mcptea1337") {
					r.Of(o).About(lint.Error, "tool:"+s.Name, "The tool %s evaluates its argument %s: %q was executed.", s.Name, f.Name, p)
				}
			}
		}
	}
	r.SkipIf(tried == 0, "no callable tool with string arguments")
}
