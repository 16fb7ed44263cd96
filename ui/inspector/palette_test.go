package inspector

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/client"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/session"
	"mcptea/ui/keys"
	"mcptea/ui/pane/start"
	"mcptea/ui/program"
)

// spoken is what people call things, and the command or the thing that each must find among the
// first three: its id, or its kind and name.
const spoken = `
parallel: again
load test: again
concurrent: again
benchmark: again
stress: again
repeat: again
second server: session.open
another server: session.open
switch server: session.next
two servers: session.open
compare servers: compare.servers
settings: setting
preferences: setting
options: setting
configuration: setting
wider: border.right
narrower: border.left
resize: border.right
layout: border.right
split: border.right
bigger: zoom
fullscreen: zoom
maximize: zoom
full screen: zoom
mouse: mouse
select text: mouse
tls: tab.server
certificate: tab.server
ssl: tab.server
connection: tab.server
version: tab.server
capabilities: tab.server
protocol: tab.server
slow: sort
latency: view
performance: view
waterfall: view
duration: view
weather: tool weather
add: tool add
echo: tool echo
dark: theme.next
light: theme.next
colour: theme.next
color: theme.next
theme: theme.next
shortcuts: help
hotkeys: help
keybindings: help
key bindings: help
help: help
manual: help
exit: quit
quit: quit
close: quit
leave: quit
reconnect: restart
restart: restart
reload server: restart
reset: restart
retry: restart
kill: restart
connect: restart
har: export
har save: export
save session: export
markdown report: export
curl: export
download: write
save response: write
save result: write
save to file: write
share: export
wire: tab.traffic
packets: tab.traffic
traffic: tab.traffic
network: tab.traffic
messages: tab.logs
intercept: breakpoint
proxy: tab.intercept
hold: breakpoint
break: breakpoint
fault: fault
inject: fault
chaos: fault
stderr: tab.logs
log: tab.logs
console: tab.logs
output: tab.logs
errors: tab.problems
lint: tab.problems
warnings: tab.problems
validate: tab.problems
security: tab.problems
conformance: tab.problems
tests: check.run
run all: check.run
audit: tab.problems
history: compose.history
previous call: call.previous
resend: again
again: again
replay: again
cancel: cancel.newest
stop: cancel.newest
abort: cancel.newest
timeout: link.edit
timeouts: link.edit
deadline: link.edit
change timeout: link.edit
set timeout: link.edit
set header: link.edit
add header: link.edit
custom header: link.edit
header: link.edit
headers: link.edit
authorization header: link.edit
bearer token: link.edit
api key: link.edit
env: link.edit
set env: link.edit
env var: link.edit
environment: link.edit
environment variable: link.edit
environment variables: link.edit
variables: link.edit
cwd: link.edit
working directory: link.edit
args: link.edit
flags: link.edit
command line: link.edit
change command: link.edit
url: link.edit
change url: link.edit
server url: link.edit
port: link.edit
protocol version: link.edit
longer: timeout.extend
wait longer: timeout.extend
search: filter
find: filter
grep: filter
bookmark: mark
comment: note
annotate: note
compare: diff
difference: diff
diff: diff
snapshot: pin
regression: pin
favorite: pin
raw: view.shown
hex: view.shown
bytes: view.shown
json: view.shown
batch: compose.malform.empty-batch
invalid json: compose.malform
custom request: compose
raw frame: compose
notification: compose
sampling: tab.inbox
elicitation: tab.inbox
roots: roots
folders: roots
workspace: roots
oauth: authorize
login: authorize
token: token
unsubscribe: subscribe
watch resource: subscribe
tail: follow
scroll: follow
autoscroll: follow
pause: pause
freeze: pause
clipboard: copy
copy command: copy
cli: copy
editor: edit
vim: edit
model: view.shown
claude: view.shown
tokens cost: view.shown
progress: tab.tasks
background: tab.tasks
widget: tab.apps
mcp apps: tab.apps
sequence diagram: view
mermaid: view
autocomplete: complete
pretty print: compose.format
null: field.empty
pipe: result.pipe
jq: result.pipe
#7: frame Go to frame #7
cursor: view.shown
claude-code: view.shown
empty: compose.malform.empty-batch
disconnect: quit
mock: export
curl: export
as it is: compose.malform.none
undo the break: compose.malform.none
bearer: link.edit
tools/list: frame #6 → tools/list
`

// What people call a command or a thing finds it, among the first three.
func TestPalette_WordsOfUsers(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.within(func() {
			lines := strings.Split(strings.TrimSpace(spoken), "\n")
			if len(lines) < 120 {
				t.Errorf("%d words", len(lines))
			}
			for _, line := range lines {
				words, want, _ := strings.Cut(line, ": ")
				o := program.NewPalette(d.model.Program)
				o.Paste(words)
				works, idle := byUse(t, words, o.Shown())
				at := slices.IndexFunc(works, names(want))
				if at < 0 { // it does nothing now: then it is one of the first that are found of these
					at = slices.IndexFunc(idle, names(want))
				}
				if at < 0 || at > 2 {
					t.Errorf("%q finds %q, then %q, and not %s", words, first(works), first(idle), want)
				}
			}
		})
	})
}

// byUse are the commands that can run, and those that cannot: all of these are below.
func byUse(t *testing.T, words string, shown []*keys.Command) (works, idle []*keys.Command) {
	for _, c := range shown {
		switch {
		case c.Why() != "":
			idle = append(idle, c)
		case len(idle) > 0:
			t.Errorf("%q has %q, which does nothing now, above %q", words, idle[0].Help, c.Help)
			return works, idle
		default:
			works = append(works, c)
		}
	}
	return works, idle
}

// names finds a command by its id, a thing by its kind and name.
func names(want string) func(*keys.Command) bool {
	return func(c *keys.Command) bool { return c.ID == want || c.ID+" "+c.Help == want }
}

func first(list []*keys.Command) (three []string) {
	for _, c := range list[:min(3, len(list))] {
		three = append(three, c.ID+" "+c.Label)
	}
	return three
}

// A label that is typed in full is first, of what works as of what does nothing now; then those that begin with it.
func TestPalette_LabelsInOrder(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.within(func() {
			all := program.NewPalette(d.model.Program).Shown()
			for _, c := range all {
				o := program.NewPalette(d.model.Program)
				o.Paste(c.Label)
				works, idle := byUse(t, c.Label, o.Shown())
				if c.Why() != "" {
					works = idle
				}
				if len(works) == 0 || !strings.EqualFold(works[0].Label, c.Label) && works[0].Help != c.Label {
					t.Errorf("%q finds %q", c.Label, first(works))
				}
			}
			for words, want := range map[string][]string{
				"as it is": {"as it is"}, "as": {"as a model", "as it is"}, "sort": {"sort"}, "border": {"border left", "border right"},
				"close": {"quit"}, "env": {"change"},
			} {
				o := program.NewPalette(d.model.Program)
				o.Paste(words)
				for i, c := range o.Shown()[:len(want)] {
					if c.Label != want[i] {
						t.Errorf("%q finds %q, want %q", words, first(o.Shown()), want)
						break
					}
				}
			}
		})
	})
}

// The window has what was used last, then what works here; what does nothing now is one row where
// there is no room, which says why when it is opened.
func TestPalette_Order(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("<ctrl+p>")
		d.sees("Find")
		d.lacks("Used last")
		d.press("weather<enter><ctrl+p>")
		d.sees("Used last", "weather  Tells the weather")
		d.press("zoom<enter><ctrl+p>")
		shown := strings.Split(ansi.Strip(d.model.View().Content), "\n")
		at := slices.IndexFunc(shown, func(line string) bool { return strings.Contains(line, "Used last") })
		if at < 0 || !strings.Contains(shown[at+1], "whole window") || !strings.Contains(shown[at+2], "weather") {
			t.Errorf("the last one is not first:\n%s", strings.Join(shown, "\n"))
		}
		d.lacks("that do nothing now")
		d.press("<pgdown><pgdown><pgdown><pgdown><pgdown><pgdown><pgdown><pgdown><pgdown><pgdown><pgdown><pgdown>")
		d.sees("that do nothing now", "enter shows them, and why")
		d.lacks("No pin is selected.")
		d.press("<enter><pgdown>")
		d.sees("No app is open.", "Open the page of the app in the browser")
		d.lacks("that do nothing now")
		d.press("<esc><ctrl+p>unsubscribe") // there is room
		d.sees("Subscribe to updates", "Only resources can be subscribed to.")
	})
}

// Each command that does nothing now is below the heading that says so, whatever was typed, and no other one is.
func TestPalette_IdleBelowItsHeading(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		for _, words := range []string{"compare", "compare servers", "second remedy", "remedy", "watch", "unsubscribe", "swap", "run"} {
			d.press("<ctrl+p>" + words)
			idle := map[string]string{}
			d.within(func() {
				o := program.NewPalette(d.model.Program)
				o.Paste(words)
				for _, c := range o.Shown() {
					if c.Why() != "" {
						idle[c.Label] = c.Why()
					}
				}
			})
			shown, below, checked := strings.Split(ansi.Strip(d.model.View().Content), "\n"), false, 0
			for _, line := range shown {
				below = below || strings.Contains(line, "Do nothing now")
				for label, why := range idle {
					if strings.Contains(line, " "+label+" ") && strings.Contains(line, why[:min(len(why), 16)]) {
						if checked++; !below {
							t.Errorf("%q is above the heading:\n%s", label, strings.Join(shown, "\n"))
						}
					}
				}
			}
			if len(idle) > 0 && checked == 0 {
				t.Errorf("%q: none of the commands that do nothing now has its reason:\n%s", words, strings.Join(shown, "\n"))
			}
			d.press("<esc>")
		}
	})
}

// A row says the name of a command once.
func TestPalette_NamesOnce(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		for _, name := range []string{"cut in the middle", "spread over several lines", `"method" and "result"`} {
			d.press("<ctrl+p>" + name)
			shown := ansi.Strip(d.model.View().Content)
			for line := range strings.SplitSeq(shown, "\n") {
				if strings.Contains(line, "Break it") && (strings.Count(line, name) != 1 || strings.Contains(line, "Break it:")) {
					t.Errorf("%s", line)
				}
			}
			d.sees(name+" ", " Break it ")
			d.press("<esc>")
		}
	})
}

// Of what fits equally well commands come first.
func TestPalette_CommandsFirst(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.within(func() {
			o := program.NewPalette(d.model.Program)
			o.Paste("empty")
			if first := o.Shown()[0]; first.ID == "resource" {
				t.Errorf("%q comes first, of %d", first.Help, len(o.Shown()))
			}
		})
		d.press("<down>")
		d.sees("v as a model")
	})
}

// What the panes show is found by its name, with its kind, and enter leads there.
func TestPalette_FindsThings(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		for _, c := range []struct{ words, row, there string }{
			{"add", "add  Adds two numbers", "Adds two numbers"},
			{"guest-book", "resource", "demo://guest-book"},
			{"review", "prompt", "4 Prompts"},
			{"#3", "frame", "#3"},
			{"tools/list", "frame", "tools/list"},
			{"P-absent-words", "filter", "No exchange matches the filter"},
		} {
			d.press("<ctrl+p>" + c.words)
			d.sees(c.row)
			d.press("<enter>")
			d.sees(c.there)
			d.lacks("Find ─")
		}
	})
}

// Of many things of a kind the first are listed: how many that are is not all that was found.
func TestPalette_MoreThanAreListed(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		for range 21 {
			d.said(d.call("echo", `{"text":"x"}`))
		}
		d.press("<ctrl+p>tools/call")
		d.sees("found, and more")
		d.press("<esc><ctrl+p>tools/list")
		d.lacks("and more")
	})
}

// The start screen has its entries.
func TestPalette_FindsServers(t *testing.T) {
	s := startedScreen(t, 100, 30)
	s.press("<ctrl+p>tracker")
	s.sees("server")
	s.press("<enter><enter>")
	s.chose("--server=tracker")
}

// What else mcptea can open is found in a session, once it is read; its command is copied.
func TestPalette_FindsServersInASession(t *testing.T) {
	cfg := session.Config{Target: client.Target{Argv: []string{"demo-server"}}, Record: "off", Dial: func(tap client.Tap, cfg client.Config) *client.Client {
		return client.NewOver(inmemory.New(sessiontest.Demo(demo.Options{})), tap, cfg)
	}}
	var read chan struct{}
	var opened string
	options := func(*session.Session) Options {
		read = make(chan struct{}) // in the bubble
		return Options{Options: program.Options{Another: func(entry string) { opened = entry }}, Targets: []func(context.Context) start.Group{func(context.Context) start.Group {
			<-read
			return start.Group{Kind: "server", Title: "Servers", Entries: []start.Entry{{Key: "t", Name: "tracker", Launch: "go run ./cmd/tracker", Command: "mcptea --server=tracker"}}}
		}}}
	}
	driveWith(t, 120, 36, func() (*session.Session, error) { return session.Open(cfg) }, options, func(d *driver) {
		d.press("<ctrl+p>tracker")
		d.lacks("go run ./cmd/tracker")
		close(read)
		d.settle()
		d.sees("tracker  go run ./cmd/tracker", "server", "shows the server on the start screen, to open it beside this session")
		if d.press("<enter>"); opened != "Servers\x00t" {
			t.Errorf("opened %q", opened)
		}
	})
}
