package inspector

import (
	"slices"
	"strings"
	"testing"

	"mcptea/demo"
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
second server: compare.servers
other server: compare.servers
another server: compare.servers
switch server: compare.servers
two servers: compare.servers
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
slow: view
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
timeout: timeout.extend
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
bearer: token
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
				var first []string
				for _, c := range o.Shown()[:min(3, len(o.Shown()))] {
					first = append(first, c.ID, c.ID+" "+c.Help)
				}
				if !slices.Contains(first, want) {
					t.Errorf("%q finds %q, and not %s", words, first, want)
				}
			}
		})
	})
}
