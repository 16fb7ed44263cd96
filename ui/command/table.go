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
var trees = at(Result, TaskResult, Detail)

var table = []row{
	{Help, at(Global), on("?", "f1"), "keys", "Show all commands with their keys", 90, "help shortcuts hotkeys bindings"},
	{Palette, at(Global), on("ctrl+p", ":", "f2"), "commands", "Find a command by its words and run it", 92, "palette search"},
	{Quit, at(Global), on("q"), "quit", "Quit; asks first while requests are pending", 95, "exit leave"},
	{Interrupt, at(Global), on("ctrl+c"), "quit", "Quit from anywhere; a second time without asking", 0, "exit"},
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
	{CompareRevisions, at(Global), nil, "compare revisions", "Connect with each protocol revision and show what differs", 0, "versions era"},
	{EditRoots, at(Global), nil, "roots", "Edit the roots that the server may ask for", 0, "directories folders"},

	{TabServer, at(Global), on("1", "alt+1"), "server", "Show the connection: steps, capabilities, instructions", 0, "info connect"},
	{TabTools, at(Global), on("2", "alt+2"), "tools", "Show the tools", 0, "call"},
	{TabResources, at(Global), on("3", "alt+3"), "resources", "Show the resources and resource templates", 0, "read uri"},
	{TabPrompts, at(Global), on("4", "alt+4"), "prompts", "Show the prompts", 0, ""},
	{TabInbox, at(Global), on("5", "alt+5"), "inbox", "Show the requests of the server: sampling, elicitation, roots", 0, "server requests questions"},
	{TabLogs, at(Global), on("6", "alt+6"), "logs", "Show log messages, stderr and stray output", 0, "stderr messages"},
	{TabTasks, at(Global), on("7", "alt+7"), "tasks", "Show the tasks", 0, "long-running"},
	{TabProblems, at(Global), on("8", "alt+8"), "problems", "Show the lint findings: rule, responsible side, fix", 0, "lint errors warnings findings"},
	{TabTraffic, at(Global), on("9", "alt+9"), "traffic", "Show every frame on the wire", 0, "frames wire log"},

	{Down, at(Global), on("j", "down"), "down", "Move down one line", 0, ""},
	{Up, at(Global), on("k", "up"), "up", "Move up one line", 0, ""},
	{Top, at(Global), on("g", "home"), "first", "Move to the first line", 0, "top begin"},
	{Bottom, at(Global), on("G", "end"), "last", "Move to the last line", 0, "bottom end"},
	{HalfDown, at(Global), on("ctrl+d"), "half page down", "Move down half a page", 0, ""},
	{HalfUp, at(Global), on("ctrl+u"), "half page up", "Move up half a page", 0, ""},
	{PageDown, at(Global), on("pgdown", "ctrl+f"), "page down", "Move down a page", 0, ""},
	{PageUp, at(Global), on("pgup", "ctrl+b"), "page up", "Move up a page", 0, ""},

	{OpenFrame, at(Traffic), on("enter"), "open", "Show the frame in full: tree, bytes, request and response, HTTP", 10, "detail inspect view"},
	{FilterTraffic, at(Traffic), on("/"), "filter", "Filter frames by words, method, id, status, size", 15, "search find"},
	{Follow, at(Traffic, Logs), on("f"), "follow", "Stay at the newest entry", 30, "tail"},
	{Pause, at(Traffic), on("p"), "pause", "Hold the list still; recording continues", 35, "freeze stop"},
	{JumpToPair, at(Traffic), on("]", "["), "pair", "Go from a request to its response, and back", 40, "response request match"},
	{CancelRequest, at(Traffic), on("x"), "cancel", "Cancel this request", 0, "stop abort"},
	{CopyFrame, at(Traffic), on("y"), "copy", "Copy the frame, byte for byte", 0, "yank clipboard"},
	{NextError, at(Traffic), on("E"), "next error", "Go to the next frame with an error or a finding", 0, "problem finding"},
	{PreviousError, at(Traffic), on("B"), "previous error", "Go to the previous frame with an error or a finding", 0, "problem finding"},

	{SwitchView, at(Detail, RawView), on("v"), "view", "Switch between tree, bytes, text, pair and HTTP", 10, "raw hex headers tree"},
	{Search, at(Detail), on("/"), "search", "Search keys and values", 16, "find"},
	{NextMatch, at(Detail), on("n"), "next match", "Go to the next match", 0, "search"},
	{PreviousMatch, at(Detail), on("N"), "previous match", "Go to the previous match", 0, "search"},
	{CopyValue, at(Detail), on("y"), "copy value", "Copy the value, as it was sent", 14, "yank clipboard"},
	{CopyPath, at(Detail), on("Y"), "copy path", "Copy the path of the value", 17, "pointer clipboard"},
	{FilterByValue, at(Detail), on("F"), "filter by value", "Show only frames that contain this value", 0, "search find"},
	{JumpToPair, at(Detail, RawView), on("]", "["), "pair", "Go from a request to its response, and back", 15, "response request match"},
	{CopyFrame, at(RawView), on("y"), "copy frame", "Copy the frame, byte for byte", 12, "yank clipboard"},

	{Resend, at(Traffic, Detail, RawView), on("r"), "resend", "Send this request again with a new id", 25, "repeat retry replay again"},
	{EditFrame, at(Traffic, Detail, RawView), on("e"), "edit", "Open this frame in the composer", 27, "change modify resend"},
	{ExplainFindings, at(Traffic, Detail, RawView), on("W"), "findings", "Explain the findings of this frame", 0, "lint problems why"},
	{Explain, at(Traffic, Detail, RawView, Server, Unauthorized, Problems), on("K"), "explain", "Explain the error, status, step, rule or method", 22, "why what means code"},

	{ToggleFold, at(Traffic), on("space"), "fold", "Fold or unfold the frames of connecting", 0, "collapse expand"},
	{ToggleFold, at(Result, TaskResult), on("space"), "fold", "Fold or unfold", 0, "collapse expand"},
	{ToggleFold, at(Detail), on("space", "enter"), "fold", "Fold or unfold", 11, "collapse expand"},
	{Collapse, at(Result, TaskResult), on("h"), "fold", "Fold, or go to the parent", 0, "collapse"},
	{Collapse, at(Detail), on("h", "left"), "fold", "Fold, or go to the parent", 0, "collapse"},
	{Expand, at(Result, TaskResult), on("l"), "unfold", "Unfold, or go to the first child", 0, "expand"},
	{Expand, at(Detail), on("l", "right"), "unfold", "Unfold, or go to the first child", 0, "expand"},
	{ExpandAll, trees, on("+", "="), "unfold all", "Unfold everything", 0, "expand"},
	{CollapseAll, trees, on("-"), "fold all", "Fold to the second level", 0, "collapse"},

	{OpenItem, at(Browse), on("enter", "l", "right"), "open", "Edit the arguments, or read the resource", 10, "call run read get"},
	{FilterList, at(Browse), on("/"), "filter", "Filter the list by name", 15, "search find"},
	{RefreshList, at(Browse), on("ctrl+r"), "refresh", "Request the list again", 40, "reload fetch list"},
	{CopyCommand, at(Browse, NoArguments), on("y"), "copy as command", "Copy the command that does the same in a shell", 45, "cli script clipboard"},
	{ComposeItem, at(Browse, NoArguments), on("c"), "compose", "Open the request for this item in the composer", 46, "raw frame"},
	{Subscribe, at(Browse, NoArguments), on("s"), "subscribe", "Subscribe to updates of this resource, or unsubscribe", 0, "updates watch"},

	{SendCall, at(Form), on("enter", "ctrl+s"), "call", "Send the request", 10, "send run"},
	{SendCall, at(NoArguments), on("enter", "ctrl+s"), "send", "Send the request", 10, "call run read"},
	{ToggleFormJSON, at(Form), on("alt+j"), "form/JSON", "Switch between the form and JSON", 12, "raw arguments"},
	{OpenEditor, at(Form, EditResponse, Composer), on("alt+e"), "$EDITOR", "Edit the text in $VISUAL or $EDITOR", 18, "vim external"},
	{CancelCall, at(Form), on("alt+x"), "cancel call", "Cancel the pending call", 0, "stop abort"},
	{CancelCall, at(NoArguments), on("x", "alt+x"), "cancel call", "Cancel the pending call", 0, "stop abort"},
	{Complete, at(Form), on("alt+v", "ctrl+space", "ctrl+@"), "complete", "Choose a value that the server suggests, or a shape for an empty field", 0, "completion values suggestions"},
	{CycleTaskOption, at(Form, NoArguments), on("alt+a"), "as task", "Call as a task, and set its time to live", 0, "ttl async"},
	{ShowResult, at(Form, NoArguments), on("alt+o"), "result", "Move the focus to the result", 16, "response output"},

	{Resend, at(Form), on("alt+r"), "resend", "Send this call again as it was", 0, "repeat retry again"},
	{Resend, at(Result, NoArguments), on("r"), "resend", "Send this call again as it was", 18, "repeat retry again"},
	{OpenSource, at(Form), on("alt+g"), "source", "Open the source file that the stack trace of a crash names in $EDITOR", 0, "editor file line crash"},
	{OpenSource, at(Result, NoArguments), on("o", "alt+g"), "source", "Open the source file that the stack trace of a crash names in $EDITOR", 0, "editor file line crash"},
	{ExtendTimeout, at(Form, Result), on("alt+="), "30 s more", "Wait 30 s longer for the response", 0, "timeout deadline wait"},
	{ExtendTimeout, at(NoArguments), on("+", "alt+="), "30 s more", "Wait 30 s longer for the response", 0, "timeout deadline wait"},
	{Explain, at(Form), on("alt+k"), "explain", "Explain the first finding of the response", 0, "why what means rule"},
	{Explain, at(Result, NoArguments), on("K", "alt+k"), "explain", "Explain the first finding of the response, or its error", 19, "why what means rule"},
	{ToggleRaw, at(Result, TaskResult), on("v"), "raw", "Switch between rendered and raw", 10, "json shown"},
	{ToggleMarkdown, at(Result, TaskResult, Connected), on("m", "f3"), "Markdown", "Show Markdown as its source, or rendered", 0, "render source text plain"},
	{CopyResult, at(Result, TaskResult), on("y"), "copy", "Copy the result", 12, "yank clipboard"},
	{ShowResultFrame, at(Result), on("enter"), "frame", "Show the frame of the response", 14, "wire"},
	{ShowResultFrame, at(TaskResult), on("enter", "alt+o"), "frame", "Show the frame of the result", 14, "wire"},
	{PreviousCall, at(Result), on("[", "left"), "previous call", "Show the previous call of this item", 16, "earlier history"},
	{NextCall, at(Result), on("]", "right"), "next call", "Show the next call of this item", 17, "later history"},

	{PasteToken, at(Unauthorized), on("t"), "token", "Type or paste an access token and connect again", 6, "bearer authorization 401 login"},
	{AuthorizeAgain, at(Unauthorized), on("o"), "authorize", "Get a token from the authorization server (OAuth) and connect again", 8, "oauth login consent"},
	{SendToken, at(TokenText), on("enter"), "connect", "Connect with this token", 10, ""},
	{Dismiss, at(TokenText), on("esc"), "cancel", "Leave the token out", 12, ""},
	{ExtendTimeout, at(Connecting), on("+"), "30 s more", "Wait 30 s longer for a response", 10, "timeout deadline wait"},
	{Reconnect, at(Server, Unauthorized), on("enter"), "connect", "Connect again", 10, "retry restart"},
	{ToggleFold, at(Server, Unauthorized), on("space"), "steps", "Show or hide the steps of connecting and what was run", 11, "details expand collapse"},
	{CopyReport, at(Server, Connecting, Unauthorized, Connected), on("y"), "copy report", "Copy this report as text", 12, "bug clipboard"},
	{CompareRevisions, at(Server, Unauthorized, Connected), on("d"), "compare revisions", "Connect with each protocol revision and show what differs", 14, "versions era diff"},

	{ToggleAll, at(Comparison), on("a"), "all", "Show all rows, or only those that differ", 10, ""},
	{CopyComparison, at(Comparison), on("y"), "copy", "Copy the comparison as text", 12, "clipboard"},

	{OpenConsentPage, at(Authorize), on("o"), "open page", "Open the consent page in the browser", 10, "browser login"},
	{CopyConsentURL, at(Authorize), on("y"), "copy URL", "Copy the URL of the consent page", 12, "clipboard"},
	{CancelAuthorization, at(Authorize), on("x"), "cancel", "Cancel the authorization and connect without a token", 14, "stop abort"},

	{OpenRequest, at(Inbox), on("enter", "l", "right"), "open", "Edit the response, or show the frame of a request that has one", 10, "answer"},
	{OpenRequest, at(Responded), on("enter", "l", "right"), "frame", "Show the frame of the request", 10, "wire"},
	{SendResponse, at(Inbox, EditResponse), on("ctrl+s"), "respond", "Send the response", 11, "answer accept send"},
	{DeclineRequest, at(Inbox, EditResponse), on("alt+n"), "decline", "Respond that the user declines", 13, "no refuse reject"},
	{DismissRequest, at(Inbox, EditResponse), on("alt+x"), "cancel/error", "Respond cancel to an elicitation, an error to sampling", 14, "dismiss"},
	{ToggleResponseJSON, at(Inbox, EditResponse), on("alt+j"), "JSON", "Edit the whole result as JSON, and back", 17, "raw"},
	{ShowRequestFrame, at(Inbox, Responded, EditResponse), on("alt+o"), "frame", "Show the frame of the request", 21, "wire"},
	{CopyRequest, at(Inbox, Responded), on("y"), "copy", "Copy the URL, or the request", 25, "clipboard"},

	{OpenTask, at(Tasks), on("enter", "l", "right"), "open", "Go to the result, or to the input that the task requires", 10, ""},
	{CancelTask, at(Tasks), on("x", "alt+x"), "cancel", "Cancel the task", 12, "stop abort"},
	{RefreshTask, at(Tasks), on("ctrl+r"), "refresh", "Request the status of the task", 14, "poll status"},
	{ShowTaskFrame, at(Tasks), on("alt+o"), "frame", "Show the newest frame of the task", 16, "wire"},
	{CopyTaskID, at(Tasks), on("y"), "copy id", "Copy the id of the task", 18, "clipboard"},
	{ListTasks, at(Tasks), on("L"), "list", "Request the list of tasks of the server", 22, ""},

	{ShowFindingFrame, at(Problems), on("enter"), "frame", "Show the frame at the place of the finding", 10, "wire"},
	{ToggleFold, at(Problems), on("space"), "unfold", "Show or hide the findings of the rule", 12, "collapse expand"},
	{Collapse, at(Problems), on("h", "left"), "fold", "Hide the findings of the rule", 0, "collapse"},
	{Expand, at(Problems), on("l", "right"), "unfold", "Show the findings of the rule", 0, "expand"},
	{ExpandAll, at(Problems), on("+", "="), "unfold all", "Show the findings of all rules", 0, "expand"},
	{CollapseAll, at(Problems), on("-"), "fold all", "Show the rules only", 0, "collapse"},
	{MuteRule, at(Problems), on("m"), "mute", "Mute this rule in this session, or unmute it", 14, "ignore hide suppress"},
	{MuteRuleAlways, at(Problems), on("M"), "mute always", "Mute this rule in config.yaml, or unmute it", 0, "ignore hide suppress"},
	{FilterProblems, at(Problems), on("/"), "filter", "Filter the findings by words", 15, "search find"},
	{CycleSeverity, at(Problems), on("s"), "severity", "Show errors only, warnings too, or all", 16, "level filter"},
	{CopyFinding, at(Problems), on("y"), "copy", "Copy the finding as text", 17, "clipboard"},
	{CopyFindingJSON, at(Problems), on("Y"), "copy JSON", "Copy the finding as JSON, as mcptea lint --json prints it", 0, "clipboard"},

	{ShowLogFrame, at(Logs), on("enter"), "frame", "Show the frame of the message", 10, "wire"},
	{FilterLogs, at(Logs), on("/"), "filter", "Filter log messages and stderr", 15, "search find"},
	{CycleLogLevel, at(Logs), on("s"), "severity", "Show only more severe messages, or all", 20, "level filter"},
	{SetServerLevel, at(Logs), on("L"), "server level", "Set the level from which the server sends messages", 25, "logging severity"},

	{SendFrame, at(Composer), on("ctrl+s", "ctrl+j"), "send", "Send the frame", 10, "run call"},
	{SendNotification, at(Composer), on("alt+n"), "notification", "Send it as a notification, without an id", 12, ""},
	{CycleID, at(Composer), on("alt+i"), "id", "Choose the id: automatic, your own, string, null, absent, used before", 13, "duplicate"},
	{ToggleRawBytes, at(Composer), on("alt+r"), "raw bytes", "Edit the bytes of the whole frame, each of them as it is sent", 14, "exact hex escapes"},
	{Malform, at(Composer), on("alt+m"), "malform", "Choose from a list how the frame is made invalid", 15, "broken wrong fault"},
	{ToggleMeta, at(Composer), on("alt+k"), "_meta", "Leave out the _meta that is filled in, or fill it in", 0, "progress token"},
	{SearchHistory, at(Composer), on("alt+h"), "history", "Search the frames that were sent, also in earlier sessions", 17, "previous earlier"},
	{SendRepeatedly, at(Composer), on("alt+s"), "repeat", "Send the frame several times", 18, "load benchmark times"},
	{Complete, at(Composer), on("tab", "ctrl+space", "ctrl+@"), "complete", "Complete a method, name, URI, argument or value", 11, "completion values suggestions"},
	{ShowResponse, at(Composer), on("alt+o", "alt+g"), "response", "Show the frame of the response", 16, "result"},
	{CancelCall, at(Composer), on("alt+x"), "cancel", "Cancel the pending request, or stop sending repeatedly", 0, "stop abort"},
	{Accept, at(Dialog, Suggestions), on("enter"), "accept", "Run or choose the selected entry", 10, ""},
	{Dismiss, at(Dialog), on("esc", "ctrl+c", "f1", "f2"), "close", "Close the window; clears its words first", 20, ""},
	{InsertSuggestion, at(Suggestions), on("tab"), "insert", "Insert the selected value only", 12, ""},
	{Dismiss, at(Suggestions), on("esc"), "close", "Close the suggestions", 20, ""},
	{ToggleScope, at(Dialog), on("tab"), "this pane only", "List the commands of this pane only, or of all", 15, ""},
	{Up, at(Dialog, Suggestions), on("up"), "up", "Select the previous entry", 0, ""},
	{Down, at(Dialog, Suggestions), on("down"), "down", "Select the next entry", 0, ""},
	{PageUp, at(Dialog), on("pgup"), "page up", "Move up a page", 0, ""},
	{PageDown, at(Dialog), on("pgdown"), "page down", "Move down a page", 0, ""},
	{ApplyFilter, at(FilterText), on("enter", "tab", "down", "up"), "apply", "Apply the words and go to the list", 10, ""},
	{ClearFilter, at(FilterText), on("esc"), "clear", "Clear the words", 12, ""},
	{NextField, at(Fields), on("tab", "down"), "next field", "Go to the next field", 0, ""},
	{PreviousField, at(Fields), on("shift+tab", "up"), "previous field", "Go to the previous field", 0, ""},

	{FormatJSON, at(Composer), on("alt+j", "alt+p"), "format", "Indent the JSON", 0, "pretty"},
}
