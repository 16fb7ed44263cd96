package probes

import (
	"encoding/json"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/schema"
	"mcptea/internal/words/phrase"
	"mcptea/session/checks/lint"
	"mcptea/session/checks/probe"
)

// concealed is text that models read and users may not see: a comment of HTML, and what is
// encoded.
var concealed = lazyregexp.New(`<!--[^\w\n]*\w.*?-->|[A-Za-z0-9+/]{160,}={0,2}|(\\x[0-9a-fA-F]{2}){8,}`)

func concealedText(r *probe.Run) {
	about := r.Case("the definitions")
	scan := func(subject, where, text string) {
		if found := concealed().FindString(text); found != "" {
			about.About(lint.Info, subject, "%s has text that a user may not see, and a model reads: %q.", where, phrase.Clip(found, 80))
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

func secretEcho(r *probe.Run) {
	if frames := r.CanaryFrames(); len(frames) > 0 {
		r.Shown(frames[0]).About(lint.Warn, "", "The server sends the value of an environment variable, MCPTEA_CANARY, to the client: what a client sees, a model sees.")
	}
}

func falseReadOnly(r *probe.Run) {
	about := r.Case("tools/list")
	for _, t := range r.Server.Tools {
		if words := probe.ChangingWords(t.Name); t.Annotation("readOnlyHint") && len(words) > 0 {
			about.About(lint.Info, "tool:"+t.Name, "The tool %q is annotated as read-only, and its name has the word %q: the name or the annotation may be wrong. It is not called without --allow.", t.Name, words[0])
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
