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

// trees are the contexts with a JSON tree.
var trees = at(Result)

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

	{Follow, at(Logs), on("f"), "follow", "Stay at the newest entry", 30, "tail"},

	{MarkFrame, at(Result), on("m"), "mark", "Mark the frame of the response, to compare it or to export it; or unmark it", 0, "select remember bookmark"},

	{PinCall, at(Result, NoArguments), on("P"), "pin", "Pin this call and its response: it runs again after each restart", 86, "snapshot regression test expect"},
	{PinCall, at(Form), on("alt+P", "alt+shift+p"), "pin", "Pin the call and its response: it runs again after each restart", 0, "snapshot regression test expect"},

	{CompareServers, at(Result, NoArguments), on("C"), "both servers", "Send this call to a second server too and compare the responses", 0, "two builds versions second diff"},
	{CompareServers, at(Form), on("alt+C", "alt+shift+c"), "both servers", "Send this call to a second server too and compare the responses", 0, "two builds versions second diff"},
	{DiffFrames, at(Result), on("d"), "diff", "Compare this result with that of the previous call", 20, "difference compare"},

	{ToggleFold, at(Result), on("space"), "fold", "Fold or unfold", 0, "collapse expand"},
	{Collapse, at(Result), on("h"), "fold", "Fold, or go to the parent", 0, "collapse"},
	{Expand, at(Result), on("l"), "unfold", "Unfold, or go to the first child", 0, "expand"},
	{ExpandAll, trees, on("+", "="), "unfold all", "Unfold everything", 0, "expand"},
	{CollapseAll, trees, on("-"), "fold all", "Fold to the second level", 0, "collapse"},

	{OpenItem, at(Browse, Changed), on("enter", "l", "right"), "open", "Edit the arguments, or read the resource", 10, "call run read get"},
	{FilterList, at(Browse, Changed), on("/"), "filter", "Filter the list by name", 15, "search find"},
	{RefreshList, at(Browse, Changed), on("ctrl+r"), "refresh", "Request the list again", 40, "reload fetch list"},
	{CopyCommand, at(Browse, Changed, NoArguments), on("y"), "copy as command", "Copy the command that does the same in a shell", 45, "cli script clipboard"},
	{ComposeItem, at(Browse, Changed, NoArguments), on("c"), "compose", "Open the request for this item in the composer", 46, "raw frame"},
	{Subscribe, at(Browse, NoArguments), on("s"), "subscribe", "Subscribe to updates of this resource, or unsubscribe", 0, "updates watch"},

	{TabBuild, at(Global), on("B", "alt+B", "alt+shift+b"), "build", "Show the output of the build that failed (--build)", 0, "compile errors watch"},
	{NextChange, at(Changed), on("n"), "next change", "Select the next entry that has changed", 12, "difference restart"},
	{SeeChanges, at(Changed), on("s"), "mark seen", "Mark all changes on show as seen", 13, "clear difference restart"},
	{DiffChange, at(Changed), on("d"), "full diff", "Compare the entry with what it was, as JSON", 11, "difference compare"},

	{SendCall, at(Form), on("enter", "ctrl+s"), "call", "Send the request", 10, "send run"},
	{SendCall, at(NoArguments), on("enter", "ctrl+s"), "send", "Send the request", 10, "call run read"},
	{ToggleFormJSON, at(Form), on("alt+j"), "form/JSON", "Switch between the form and JSON", 12, "raw arguments"},
	{OpenEditor, at(Form), on("alt+e"), "$EDITOR", "Edit the text in $VISUAL or $EDITOR", 18, "vim external"},
	{CancelCall, at(Form), on("alt+x"), "cancel call", "Cancel the pending call", 0, "stop abort"},
	{CancelCall, at(NoArguments), on("x", "alt+x"), "cancel call", "Cancel the pending call", 0, "stop abort"},
	{Complete, at(Form), on("alt+v", "ctrl+space", "ctrl+@"), "complete", "Choose a value that the server suggests, or a shape for an empty field", 0, "completion values suggestions"},
	{ChooseArguments, at(Form), on("alt+s"), "saved", "Use saved arguments, or those that were sent before", 21, "history earlier sets load"},
	{SaveArguments, at(Form), on("alt+n"), "save arguments", "Save the arguments under a name", 0, "set store keep"},
	{AddItem, at(Form), on("alt+i"), "add item", "Add an item to the list, or a member to the map, around the field", 11, "insert append new element array"},
	{RemoveItem, at(Form), on("alt+-"), "remove item", "Remove the item or member around the field", 0, "delete element array"},
	{MoveItemUp, at(Form), on("alt+up"), "item up", "Move the item before the previous one", 0, "reorder array"},
	{MoveItemDown, at(Form), on("alt+down"), "item down", "Move the item behind the next one", 0, "reorder array"},
	{CycleEmpty, at(Form), on("alt+0"), "empty", "Send nothing, an empty value, or null for the field", 0, "null absent not sent clear unset"},
	{ToggleValueJSON, at(Form), on("alt+q"), "value as JSON", "Edit the value of the field as JSON, or as fields again", 0, "raw wrong type"},
	{CycleTaskOption, at(Form, NoArguments), on("alt+a"), "as task", "Call as a task, and set its time to live", 0, "ttl async"},
	{ShowResult, at(Form, NoArguments), on("alt+o"), "result", "Move the focus to the result", 16, "response output"},

	{Resend, at(Form), on("alt+r"), "resend", "Send this call again as it was", 0, "repeat retry again"},
	{Resend, at(Result, NoArguments), on("r"), "resend", "Send this call again as it was", 18, "repeat retry again"},
	{OpenSource, at(Form), on("alt+g"), "source", "Open the source file that the stack trace of a crash names in $EDITOR", 0, "editor file line crash"},
	{OpenSource, at(NoArguments), on("o", "alt+g"), "source", "Open the source file that the stack trace of a crash names in $EDITOR", 0, "editor file line crash"},
	{OpenSource, at(Result), on("O", "alt+g"), "source", "Open the source file that the stack trace of a crash names in $EDITOR", 0, "editor file line crash"},
	{ExtendTimeout, at(Form, Result), on("alt+="), "30 s more", "Wait 30 s longer for the response", 0, "timeout deadline wait"},
	{ExtendTimeout, at(NoArguments), on("+", "alt+="), "30 s more", "Wait 30 s longer for the response", 0, "timeout deadline wait"},
	{Explain, at(Form), on("alt+k"), "explain", "Explain the first finding of the response", 0, "why what means rule"},
	{Explain, at(Result, NoArguments), on("K", "alt+k"), "explain", "Explain the first finding of the response, or its error", 19, "why what means rule"},
	{ToggleRaw, at(Result), on("v"), "raw", "Switch between rendered and raw", 10, "json shown"},
	{Search, at(Result), on("/"), "search", "Search the result", 13, "find"},
	{NextMatch, at(Result), on("n"), "next match", "Go to the next match", 0, "search"},
	{PreviousMatch, at(Result), on("N"), "previous match", "Go to the previous match", 0, "search"},
	{NextSection, at(Result), on("}"), "next section", "Go to the next content of the result, to fold it", 0, "block heading"},
	{LastSection, at(Result), on("{"), "previous section", "Go to the previous content of the result", 0, "block heading"},
	{ToggleWrap, at(Result), on("z"), "wrap", "Wrap long lines, or cut them", 0, "fold long lines"},
	{ScrollLeft, at(Result), on("<", "shift+left"), "left", "Move to the left in a table, or in lines that are not wrapped", 0, "scroll columns"},
	{ScrollRight, at(Result), on(">", "shift+right"), "right", "Move to the right in a table, or in lines that are not wrapped", 0, "scroll columns"},
	{WriteContent, at(Result), on("w"), "write", "Write a text, a blob or the whole result to a file, byte for byte", 15, "save file export download"},
	{PipeContent, at(Result), on("|"), "pipe", "Send the content through a command of the shell and show what it prints", 17, "filter shell jq"},
	{OpenContent, at(Result), on("o"), "open", "Open the content with the program of the system; asks first", 18, "view external browser image"},
	{CopyResult, at(Result), on("y"), "copy", "Copy the result", 12, "yank clipboard"},
	{ShowResultFrame, at(Result), on("enter"), "link/frame", "Read the linked resource, else show the frame of the response", 14, "wire link follow resource"},
	{PreviousCall, at(Result), on("[", "left"), "previous call", "Show the previous call of this item", 16, "earlier history"},
	{NextCall, at(Result), on("]", "right"), "next call", "Show the next call of this item", 17, "later history"},

	{ShowLogFrame, at(Logs), on("enter"), "frame", "Show the frame of the message", 10, "wire"},
	{FilterLogs, at(Logs), on("/"), "filter", "Filter log messages and stderr", 15, "search find"},
	{CycleLogLevel, at(Logs), on("s"), "severity", "Show only more severe messages, or all", 20, "level filter"},
	{SetServerLevel, at(Logs), on("L"), "server level", "Set the level from which the server sends messages", 25, "logging severity"},

	{Agree, at(Question), on("y"), "agree", "Agree to what the question shows; works after its end was in sight", 10, ""},
	{Decline, at(Question), on("esc", "ctrl+c"), "decline", "Do not agree", 12, ""},
	{Up, at(Question), on("up", "k"), "up", "Scroll up", 0, ""},
	{Down, at(Question), on("down", "j"), "down", "Scroll down", 0, ""},
	{PageUp, at(Question), on("pgup"), "page up", "Scroll up a page", 0, ""},
	{PageDown, at(Question), on("space", "pgdown"), "page down", "Scroll down a page", 0, ""},
	{Top, at(Question), on("home", "g"), "first line", "Go to the first line", 0, ""},
	{Bottom, at(Question), on("end", "G"), "last line", "Go to the last line", 0, ""},

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
