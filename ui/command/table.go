package command

// row is a command as it is written down here.
type row struct {
	id       ID
	in       []Context
	keys     []string
	label    string
	help     string
	footer   int
	synonyms string
}

// at lists contexts.
func at(c ...Context) []Context { return c }

// on lists keys, the one that is shown first.
func on(keys ...string) []string { return keys }

var table = []row{
	{Help, at(Global), on("?", "f1"), "keys", "Show all commands with their keys", 90, "help shortcuts hotkeys bindings"},
	{Palette, at(Global), on("ctrl+p", ":", "f2"), "commands", "Find a command by its words and run it", 92, "palette search"},
	{Quit, at(Global), on("q"), "quit", "Quit; asks first while requests are pending", 95, "exit leave"},
	{Interrupt, at(Global), on("ctrl+c"), "quit", "Quit from anywhere; a second time without asking", 0, "exit"},
	{Suspend, at(Global), on("ctrl+z"), "suspend", "Suspend mcptea; fg in the shell brings it back", 0, "background job shell stop"},
	{NextPane, at(Global), on("tab"), "next pane", "Move the focus to the next pane", 0, "focus"},
	{PreviousPane, at(Global), on("shift+tab"), "previous pane", "Move the focus to the previous pane", 0, "focus"},
	{Back, at(Global), on("esc"), "back", "Go one step back; never quits", 0, "close leave cancel"},
	{Zoom, at(Global), on("\\", "alt+z"), "zoom", "Give the whole window to this pane, and back", 80, "fullscreen maximize large"},
	{Compose, at(Global), on("c", "alt+w"), "compose", "Write a request, notification or frame by hand", 20, "new raw frame send"},
	{Restart, at(Global), on("R", "alt+R", "alt+shift+r"), "restart", "Stop the server and connect again", 82, "reconnect retry connect"},
	{CancelNewest, at(Global), on("x", "alt+x"), "cancel", "Cancel the newest pending request", 0, "stop abort"},
	{Follow, at(Global), on("f"), "follow", "Follow the newest frame in Traffic", 0, "tail"},
	{NextTheme, at(Global), on("ctrl+y"), "theme", "Use the next theme", 0, "color colour dark light"},
	{ToggleMarkdown, at(Global), on("f3"), "Markdown", "Show Markdown as its source, or rendered", 0, "render source text plain"},
	{CopyRecordingPath, at(Global), nil, "copy recording path", "Copy the path of the recording", 0, "file save export"},
	{ExportFrames, at(Global), on("X"), "export", "Write the session, or some frames, in another format", 96, "save har html markdown curl report"},
	{AddBreakpoint, at(Global), on("b"), "breakpoint", "Hold the frames that match a filter, to change or drop them", 0, "intercept stop pause hold"},
	{TabIntercept, at(Global), on("I", "alt+I", "alt+shift+i"), "intercept", "Show the held frames, the breakpoints and the faults", 0, "breakpoints faults held"},
	{CompareRevisions, at(Global), nil, "compare versions", "Connect with each protocol version and show what differs", 0, "revisions era"},
	{ShowPins, at(Global), on("V", "alt+V", "alt+shift+v"), "pins", "Show the pinned calls: state, duration, difference", 0, "snapshots regression tests"},
	{EditRoots, at(Global), nil, "roots", "Edit the roots that the server may ask for", 0, "directories folders"},

	{TabServer, at(Global), on("1", "alt+1"), "server", "Show the connection: steps, capabilities, instructions", 0, "info connect"},
	{TabTools, at(Global), on("2", "alt+2"), "tools", "Show the tools", 0, "call"},
	{TabResources, at(Global), on("3", "alt+3"), "resources", "Show the resources and resource templates", 0, "read uri"},
	{TabPrompts, at(Global), on("4", "alt+4"), "prompts", "Show the prompts", 0, ""},
	{TabInbox, at(Global), on("5", "alt+5"), "requests", "Show the requests of the server: sampling, elicitation, roots", 0, "server requests questions inbox"},
	{TabLogs, at(Global), on("6", "alt+6"), "logs", "Show log messages, stderr and stray output", 0, "stderr messages"},
	{TabTasks, at(Global), on("7", "alt+7"), "tasks", "Show the tasks", 0, "long-running"},
	{TabProblems, at(Global), on("8", "alt+8"), "problems", "Show what is wrong: findings of the session, and the probes", 0, "lint errors warnings findings check probes test conformance security"},
	{TabTraffic, at(Global), on("9", "alt+9"), "traffic", "Show every frame on the wire", 0, "frames wire log"},

	{Down, at(Global), on("j", "down"), "down", "Move down one line", 0, ""},
	{Up, at(Global), on("k", "up"), "up", "Move up one line", 0, ""},
	{Top, at(Global), on("g", "home"), "first", "Move to the first line", 0, "top begin"},
	{Bottom, at(Global), on("G", "end"), "last", "Move to the last line", 0, "bottom end"},
	{HalfDown, at(Global), on("ctrl+d"), "half page down", "Move down half a page", 0, ""},
	{HalfUp, at(Global), on("ctrl+u"), "half page up", "Move up half a page", 0, ""},
	{PageDown, at(Global), on("pgdown", "ctrl+f"), "page down", "Move down a page", 0, ""},
	{PageUp, at(Global), on("pgup", "ctrl+b"), "page up", "Move up a page", 0, ""},

	{TabBuild, at(Global), on("B", "alt+B", "alt+shift+b"), "build", "Show the output of the build that failed (--build)", 0, "compile errors watch"},

	{Accept, at(Dialog, Suggestions), on("enter"), "accept", "Run or choose the selected entry", 10, ""},
	{Dismiss, at(Dialog), on("esc", "ctrl+c", "f1", "f2"), "close", "Close the window; clears its words first", 20, ""},
	{InsertSuggestion, at(Suggestions), on("tab"), "insert", "Insert the selected value only", 12, ""},
	{Dismiss, at(Suggestions), on("esc"), "close", "Close the suggestions", 20, ""},
	{RemoveEntry, at(Dialog), on("alt+x"), "delete", "Delete the selected entry", 0, "remove"},
	{ToggleScope, at(Dialog), on("tab"), "this pane only", "List the commands of this pane only, or of all", 15, ""},
	{Up, at(Dialog, Suggestions), on("up"), "up", "Select the previous entry", 0, ""},
	{Down, at(Dialog, Suggestions), on("down"), "down", "Select the next entry", 0, ""},
	{PageUp, at(Dialog), on("pgup"), "page up", "Move up a page", 0, ""},
	{PageDown, at(Dialog), on("pgdown"), "page down", "Move down a page", 0, ""},
	{ApplyFilter, at(FilterText), on("enter", "tab", "down", "up"), "apply", "Apply the words and go to the list", 10, ""},
	{ClearFilter, at(FilterText), on("esc"), "clear", "Clear the words", 12, ""},
	{NextField, at(Fields), on("tab", "down"), "next field", "Go to the next field", 0, ""},
	{PreviousField, at(Fields), on("shift+tab", "up"), "previous field", "Go to the previous field", 0, ""},
}
