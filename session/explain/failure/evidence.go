package failure

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
	"mcptea/record/stderr"
	"mcptea/session/explain/facts"
	"mcptea/session/session"
)

// attempt returns lines about the target of the attempt.
func (f Facts) attempt() []Line {
	lines := f.configured()
	if !f.target.IsStdio() {
		if f.target.URL == "" {
			return nil
		}
		lines = append(lines, Line{Kind: "url", Text: escape(f.target.String())})
		for _, h := range HeaderLines(f.target) {
			lines = append(lines, Line{Kind: KindHeader, Text: escape(h)})
		}
		return lines
	}
	shown := f.target.Shown(f.target.Argv)
	lines = append(lines, Line{Kind: "command", Text: CommandLine(shown)})
	if path := f.Process.Path; path != "" && path != shown[0] {
		lines = append(lines, Line{Kind: "path", Text: escape(path)})
	}
	if dir := f.target.ShownDir(); dir != "" {
		lines = append(lines, Line{Kind: "cwd", Text: escape(dir)})
	}
	if changes := CompareEnv(f.environ, f.target); f.environ != nil && changes != "" {
		lines = append(lines, Line{Kind: "env", Text: escape(changes)})
	}
	return lines
}

// CommandLine returns a command as one would type it in a shell, with secrets masked.
func CommandLine(argv []string) string {
	words := secret.Args(argv)
	for i, w := range words {
		words[i] = escape(w)
		if w == "" || strings.ContainsAny(w, " \t\n\"'`$&|;<>()*?[]{}~#!\\") {
			words[i] = "'" + strings.ReplaceAll(words[i], "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

var stepWords = map[client.StepState]string{
	client.StepDone: "done", client.StepFailed: "failed", client.StepRunning: "still waiting",
}

// era returns the evidence for the era of the server, or nil if nothing was detected or the user has set the
// revision.
func (f Facts) era(err error) []Line {
	v := f.detection
	var nowhere *client.FallbackError
	if f.Connected || errors.As(err, &nowhere) || v.Era == revision.EraUnknown || v.DetectedBy == client.EraPinned {
		return nil
	}
	var lines []Line
	for i, because := range v.Evidence {
		if i == 0 {
			because = v.Era.String() + ": " + because
		}
		lines = append(lines, Line{"era", cut(because), true})
	}
	return lines
}

// steps returns the steps of connecting that were reached. It leaves out details, because these repeat the
// command line or the error.
func (f Facts) steps() []Line {
	if f.Connected {
		return nil // it is connected: the steps do not matter
	}
	var lines []Line
	width := 0
	for _, s := range f.Steps {
		width = max(width, len(s.Name))
	}
	for _, s := range f.Steps {
		if s.State == client.StepWaiting {
			continue
		}
		word := stepWords[s.State]
		if s.Absent {
			word = "no result" // the client has continued without the result
		}
		text := fmt.Sprintf("%-*s %s", width, s.Name, word)
		if s.State == client.StepDone || s.State == client.StepFailed {
			text += " after " + phrase.Duration(s.Took)
		}
		lines = append(lines, Line{Kind: "steps", Text: text})
	}
	return lines
}

// evidence returns the output of the process and the frames of the failure, without the parts that the
// explanation repeats.
func (f Facts) evidence(e Explanation) []Line {
	var lines []Line
	if p := f.Process; p.PID != 0 {
		lines = append(lines, Line{Kind: KindProcess, Text: f.lifeOf(p)})
	}
	if f.target.IsStdio() {
		for _, text := range choice(f.Stray, strayShown, "…") {
			lines = append(lines, Line{KindStdout, cut(text), true})
		}
		for _, text := range choice(stderr.Fit(withoutRuntime(f.stderr), stderrShown), stderrShown, "…") {
			lines = append(lines, Line{KindStderr, cut(text), true})
		}
		if f.Process.PID != 0 && len(f.stderr) == 0 && !f.Connected && !e.quiet {
			lines = append(lines, Line{Kind: KindStderr, Text: "(nothing)"})
		}
	}
	for _, c := range f.changed {
		lines = append(lines, Line{"changed", fmt.Sprintf("#%d %s", c.Row+1, c.Text()), true})
	}
	for _, id := range f.unmatched {
		lines = append(lines, Line{"other id", "response id " + id + " matches no pending request", true})
	}
	for _, id := range f.mixed {
		lines = append(lines, Line{"mixed", "message with id " + id + " has a method beside a result or an error", true})
	}
	if x := f.exchange; x.TLS != nil && !f.Connected {
		for _, text := range ChainLines(x.TLS, x.Start) {
			lines = append(lines, Line{KindPresented, text, true})
		}
	}
	if x := f.exchange; x.Status != 0 && !(x.Status >= 400 && strings.HasPrefix(e.Sentence, fmt.Sprintf("%s %s returned %s", x.Method, x.URL, transport.StatusText(x.Status)))) {
		lines = append(lines, Line{KindHTTP, exchangeLine(x), true})
	}
	return lines
}

// lookedAt returns the facts that were compared with the failure, if no fact gives more than general advice.
func (f Facts) lookedAt() []Line {
	var parts []string
	if f.target.IsStdio() {
		if f.Process.PID == 0 {
			return nil
		}
		parts = append(parts, phrase.Count(len(f.stderr), "line")+" of stderr", phrase.Count(f.wire.received+len(f.Stray), "line")+" of stdout")
	} else {
		if f.exchange.ID == 0 {
			return nil
		}
		known := facts.Of(f.recorded(), facts.Refusal{})
		parts = append(parts, "headers and body of the request", phrase.Count(known.Earlier.Accepted, "earlier response"), "intermediaries in the headers")
	}
	return []Line{{Kind: kindLooked, Text: strings.Join(parts, ", ")}}
}

// choiceOf returns at most the given number of the last informative lines of stderr, preceded by the decisive
// line if that came earlier.
func choiceOf(lines []string, most int) []string { return Chooser(lines)(most) }

// Chooser returns a function like choiceOf, to call with several numbers for the same lines. It searches the
// decisive line only once, since that takes many milliseconds. The function is not safe for concurrent use.
func Chooser(lines []string) func(most int) []string {
	lines = withoutRuntime(lines)
	decisive := map[int]string{} // by the number of lines that Fit keeps, which determines the lines
	return func(most int) []string {
		fit := stderr.Fit(lines, most)
		if len(fit) <= most {
			return fit
		}
		line, ok := decisive[len(fit)]
		if !ok {
			line = decisiveOf(fit)
			decisive[len(fit)] = line
		}
		return lastWith(fit, line, most)
	}
}

// choice is like choiceOf, but includes uninformative lines. The lines of gap follow the decisive line if lines
// after it are left out and no heading counts them.
func choice(lines []string, most int, gap ...string) []string {
	if len(lines) <= most {
		return lines
	}
	return lastWith(lines, decisiveOf(lines), most, gap...)
}

// decisiveOf returns the line that explains why a server ended, or the first line that is a message.
func decisiveOf(lines []string) string {
	found := candidates(nil, lines, "stderr")
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `"jsonrpc"`) }); i >= 0 && len(found) == 0 {
		return lines[i]
	}
	return decisive(lines, found)
}

// lastWith returns the last lines, preceded by the decisive line if it is not among them.
func lastWith(lines []string, decisive string, most int, gap ...string) []string {
	last := lines[len(lines)-most:]
	holds := func(l string) bool { return strings.Contains(l, decisive) }
	if decisive == "" || slices.ContainsFunc(last, holds) {
		return last
	}
	first := append([]string{decisive}, gap...)
	first = first[:min(len(first), most)]
	return append(first, last[len(first):]...)
}

func (f Facts) lifeOf(p session.Process) string {
	text := fmt.Sprintf("pid %d", p.PID)
	switch {
	case p.Exited.IsZero() && f.wire.torn:
		return text + ", its stdout has ended"
	case p.Exited.IsZero():
		return text + ", still running"
	}
	after := phrase.Duration(p.Exited.Sub(p.Started))
	if p.Expected {
		return text + ", stopped by mcptea after " + after
	}
	if p.Signal != "" {
		return text + ", terminated by " + p.Signal + " after " + after
	}
	return fmt.Sprintf("%s, exited with code %d after %s", text, p.ExitCode, after)
}

func exchangeLine(x transport.Exchange) string {
	text := fmt.Sprintf("%s %s → %d after %s", x.Method, x.URL, x.Status, phrase.Duration(x.FirstByte))
	if kind := x.ResponseHeader.Get("Content-Type"); kind != "" {
		text += ", " + kind
	}
	return cut(text)
}

// cut returns the start of a line.
func cut(s string) string { return phrase.Clip(s, textHead) }

// runtimeFrame matches the frames of Node.js itself and the place in it where an error was thrown.
var runtimeFrame = lazyregexp.New(`^\s+at .*\(?node:internal/[^()]*\)?(?: \{)?$|^node:internal/\S+:\d+$`)

// withoutRuntime removes the output of Node.js about its own code: stack frames, and the excerpt of its source
// before an error. The log keeps all lines.
func withoutRuntime(lines []string) []string {
	var kept []string
	excerpt := false
	for _, l := range lines {
		switch {
		case runtimeFrame().MatchString(l):
			excerpt = strings.HasPrefix(l, "node:")
		case excerpt && strings.HasPrefix(l, " ") || excerpt && strings.TrimSpace(l) == "":
		default:
			kept, excerpt = append(kept, l), false
		}
	}
	if len(kept) == 0 {
		return lines
	}
	return kept
}
