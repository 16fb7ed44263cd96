package failure

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/client/revision"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
	"mcptea/record/stderr"
	"mcptea/session/explain/facts"
)

// seen adds the facts that may speak against a row at any place: observations of this attempt, and current
// settings. The conditions of Unless name these facts.
func (f Facts) seen(s situation) situation { return f.refused(s, facts.Refusal{}) }

// refused is like seen, for an attempt that ended with a refusal.
func (f Facts) refused(s situation, r facts.Refusal) situation {
	a := f.recorded()
	known := facts.Of(a, r)
	for _, fact := range facts.All {
		s[fact.Name] = shownFact(fact.Value(&known))
	}
	if known.Package != "" {
		s["of_package"] = " (" + escape(known.Package) + ")"
	}
	s["session_young"], s["keep_sessions"] = ": it was restarted, it expires sessions, or another instance has it", "Reconnect; in the server, return 404 for an unknown session."
	if age := known.Earlier.SessionAge; age != "" {
		s["session_young"] = ", " + age + " after the server had created it: each of several instances behind the URL may have its own sessions, or the server does not keep them. Less likely, it was restarted"
		s["keep_sessions"] = "Have one instance for each session (sticky), share the sessions, or run the server without sessions. Reconnect then. In the server, return 404 for an unknown session."
	}
	if known.Names != "" {
		s["set_here"] = " " + cmp.Or(phrase.Capital(escape(a.Entry)), "-e") + " sets " + escape(known.Names) + "."
	}
	if f.method != "" && !f.Connected {
		s["of_method"] = " (" + f.method + ")"
	}
	s["connected"], s["stdio"], s["transport"] = f.Connected, f.target.IsStdio(), f.target.Transport
	s["pinned"], s["lenient"], s["offered"] = string(f.pinned), f.lenient, string(f.offered())
	s["stream_opened"] = f.streamOpened()
	s["received"], s["era_probed"] = f.wire.messages > 0, f.detection.DetectedBy != client.EraPinned && f.detection.Era != revision.EraUnknown
	s["account"] = "the user of the server"
	if f.target.IsStdio() {
		f.seenOfProcess(s)
	} else {
		f.seenOfURL(s)
	}
	return s
}

// seenOfProcess adds the facts about a server over stdio.
func (f Facts) seenOfProcess(s situation) {
	s["wrote_own"], s["says_stdio"] = slices.ContainsFunc(f.stderr, isOwnLine), saysStdio(f.stderr)
	major, _, _ := strings.Cut(facts.NodeVersion(f.words()), ".")
	if n, err := strconv.Atoi(major); err == nil {
		s["node_20"] = n >= 20
	}
	s["runs_container"], s["says_started"], s["account"] = hosts.Container(f.target.Argv), f.saysStarted(), "the user that mcptea runs as"
	if s.text("runs_container") != "" {
		s["account"] = "the user of the container"
	}
	if len(f.target.Argv) > 0 {
		s["launched_by"] = programName(strings.TrimSuffix(f.target.Argv[0], ".exe"))
	}
	if container, missing := hosts.ContainerWithoutStdin(f.target.Argv); missing {
		s["container"] = container
	}
}

// seenOfURL adds the facts about a server over HTTP.
func (f Facts) seenOfURL(s situation) {
	u, err := url.Parse(f.target.URL)
	if err != nil {
		return
	}
	s["https"], s["plain_http"], s["loopback"], s["own_host"] = u.Scheme == "https", u.Scheme == "http", mcphttp.IsLoopback(u.Hostname()), u.Host
	s["session"] = f.Connected && f.exchange.RequestHeader.Get("Mcp-Session-Id") != ""
}

// offered returns the protocol version that the requests of the attempt have named.
func (f Facts) offered() revision.Revision {
	return cmp.Or(f.negotiated, f.pinned, revision.NewestHandshake)
}

// streamOpened reports whether GET opened an event stream with an endpoint event in this attempt.
func (f Facts) streamOpened() bool {
	done := func(s client.Step) bool { return s.Name == client.StepStream && s.State == client.StepDone }
	return slices.ContainsFunc(f.Steps, done)
}

// recorded returns the facts from which the typed facts are derived.
func (f Facts) recorded() facts.Attempt {
	a := f.exchanged()
	f.addSettings(&a)
	return a
}

// exchanged returns what was exchanged with the server.
func (f Facts) exchanged() facts.Attempt {
	return facts.Attempt{
		Own: f.target.Header, Failed: f.exchange, Exchanges: f.wire.exchanges, Answered: f.wire.answered, Session: f.sessionID != "",
		Offered: f.supported, Written: f.wire.written, Came: f.wire.came, Request: f.request, Initialized: f.initialized(), Sending: f.sending(),
		Argv: f.target.Argv, Words: f.words(), Capabilities: f.capabilities, StreamLost: f.sse != nil && mcphttp.ReasonOf(f.sse) == "lost", StreamTimedOut: as[*client.TimeoutError](f.sse),
	}
}

// shownFact returns a fact for a hole or a condition. Text, which may be from the server, is escaped, and 0
// counts as absent.
func shownFact(value any) any {
	switch value := value.(type) {
	case string:
		return escape(cut(value))
	case int, int64:
		if fmt.Sprint(value) == "0" {
			return ""
		}
	}
	return value
}

var (
	// launcherLine matches lines of launchers that download a server, and of tools that watch it: the server
	// has not started yet.
	launcherLine = lazyregexp.New(`(?i)^\s*(?:npm\b|npx\b|pnpm\b|yarn\b|bun\b|need to install|the following packages|added \d+|changed \d+|downloading\b|downloaded\b|download\b|resolved \d+|resolving\b|prepared \d+|preparing\b|installed \d+|installing\b|built\b|building\b|using (?:python|cpython)|creating virtual|unable to find image|[\w./-]+: pulling\b|pulling\b|pulled\b|[0-9a-f]{12}: |digest: |status: downloaded|trying to pull|getting image|copying (?:blob|config)|writing manifest|storing signatures|progress\b|\W*\d+%|[-\\|/⠁-⣿]\s*$|go: downloading)`)
	// onStdio matches lines in which a server reports that it has started on stdio.
	onStdio = lazyregexp.New(`(?i)\b(?:running|started|starting|listening|ready|serving|connected|launched|initialized)\b.{0,60}\bstdio\b|\bstdio\b.{0,40}\b(?:running|started|starting|listening|ready|connected|initialized)\b`)
)

// isOwnLine reports whether a line is from the server, not from a launcher that downloads it.
func isOwnLine(line string) bool {
	return strings.TrimSpace(line) != "" && !launcherLine().MatchString(line)
}

// saysStdio reports whether a server has reported that it runs on stdio. Help texts do not count.
func saysStdio(lines []string) bool {
	for _, l := range stderr.Read(lines) {
		if l.Form != stderr.Help && l.Form < stderr.Error && onStdio().MatchString(l.Text) {
			return true
		}
	}
	return false
}

// startWords matches lines in which a program reports that it has started.
var startWords = lazyregexp.New(`(?i)\bstarted\b.{0,80}\bin [\d.]+ ?(?:s|ms|seconds?)\b|\b(?:startup|start|initialization) (?:is )?complete|\b(?:server|service|application|app)(?: is)?(?: now)? (?:started|ready|running|up)\b|\b(?:started|ready|listening|running) (?:successfully|and waiting|to accept)|\bready (?:to|for)\b`)

// saysStarted returns the line in which a server reports that it has started, or "".
func (f Facts) saysStarted() string {
	for _, l := range stderr.Read(f.stderr) {
		if l.Form != stderr.Help && l.Form < stderr.Error && isOwnLine(l.Text) && startWords().MatchString(l.Text) {
			return quoteEnds(l.Text)
		}
	}
	return ""
}

// shells holds programs that run a script, which may start the server in another way.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "fish", "busybox", "cmd", "powershell", "pwsh"}

// isScripted reports whether a shell runs the command.
func (f Facts) isScripted() bool {
	if len(f.target.Argv) == 0 {
		return false
	}
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(f.target.Argv[0])), ".exe")
	return slices.Contains(shells, name) || slices.Contains([]string{".sh", ".bat", ".cmd", ".ps1"}, filepath.Ext(name))
}
