package command

// The names. A pane is asked to carry out those of its own context.
const (
	Quit       Name = "quit"
	Interrupt  Name = "interrupt"
	Help       Name = "help"
	Palette    Name = "palette"
	NextRegion Name = "next-region"
	PrevRegion Name = "previous-region"
	Back       Name = "back"
	Zoom       Name = "zoom"
	NewFrame   Name = "compose"
	RestartAll Name = "restart"
	ToTraffic  Name = "to-traffic"
	CancelLast Name = "cancel-last"
	Theme      Name = "theme"
	ShowRecord Name = "copy-recording-path"
	CompareAll Name = "compare-revisions"
	Roots      Name = "roots"

	TabServer    Name = "tab-server"
	TabTools     Name = "tab-tools"
	TabResources Name = "tab-resources"
	TabPrompts   Name = "tab-prompts"
	TabInbox     Name = "tab-inbox"
	TabLogs      Name = "tab-logs"
	TabTasks     Name = "tab-tasks"
	TabProblems  Name = "tab-problems"

	Up       Name = "up"
	Down     Name = "down"
	PageUp   Name = "page-up"
	PageDown Name = "page-down"
	HalfUp   Name = "half-up"
	HalfDown Name = "half-down"
	Top      Name = "top"
	Bottom   Name = "bottom"

	TrafficFilter Name = "filter"
	TrafficFollow Name = "follow"
	TrafficPause  Name = "pause"
	TrafficOpen   Name = "open-detail"
	TrafficPair   Name = "jump-pair"
	TrafficResend Name = "resend"
	TrafficEdit   Name = "edit-and-resend"
	TrafficCopy   Name = "copy-frame"
	TrafficCancel Name = "cancel-request"
	NextError     Name = "next-error"
	PrevError     Name = "previous-error"

	ExplainIt Name = "explain"

	DetailView   Name = "detail-view"
	DetailFold   Name = "fold"
	DetailFoldUp Name = "fold-out"
	DetailOpen   Name = "unfold"
	DetailAll    Name = "unfold-all"
	DetailLevel  Name = "fold-to-depth"
	DetailSearch Name = "search"
	DetailNext   Name = "search-next"
	DetailPrev   Name = "search-previous"
	DetailCopy   Name = "copy-value"
	DetailPath   Name = "copy-path"
	DetailFilter Name = "filter-by-value"
	DetailPair   Name = "detail-pair"
	DetailWhy    Name = "explain-findings"

	BrowseOpen    Name = "open-item"
	BrowseFilter  Name = "filter-list"
	BrowseRefresh Name = "fetch-again"
	BrowseCopy    Name = "copy-command"
	BrowseCompose Name = "compose-item"
	BrowseFollow  Name = "subscribe"

	FormSend   Name = "call"
	FormSwitch Name = "form-or-json"
	FormEditor Name = "open-editor"
	FormCancel Name = "cancel-call"
	FormResult Name = "to-result"
	FormValues Name = "values"
	FormTask   Name = "as-a-task"

	ResultCopy   Name = "copy-result"
	ResultSwitch Name = "result-view"
	ResultFrame  Name = "result-frame"
	EarlierCall  Name = "earlier-call"
	LaterCall    Name = "later-call"

	ServerRetry Name = "connect-again"
	ServerCopy  Name = "copy-report"

	ConsentOpen   Name = "open-page"
	ConsentCopy   Name = "copy-page-address"
	ConsentCancel Name = "cancel-authorization"

	InboxOpen    Name = "open-request"
	InboxAnswer  Name = "answer"
	InboxDecline Name = "decline"
	InboxDismiss Name = "dismiss"
	InboxJSON    Name = "answer-as-json"
	InboxEditor  Name = "answer-in-editor"
	InboxFrame   Name = "request-frame"
	InboxCopy    Name = "copy-request"

	TaskOpen   Name = "open-task"
	TaskCancel Name = "cancel-task"
	TaskLook   Name = "look-at-task"
	TaskFrame  Name = "task-frame"
	TaskCopy   Name = "copy-task-id"
	TaskList   Name = "list-tasks"

	ProblemOpen   Name = "problem-frame"
	ProblemMute   Name = "mute-rule"
	ProblemAlways Name = "mute-rule-always"
	ProblemFilter Name = "filter-problems"
	ProblemShow   Name = "show-severity"
	ProblemCopy   Name = "copy-finding"
	ProblemJSON   Name = "copy-finding-as-json"

	LogsFilter Name = "filter-logs"
	LogsLevel  Name = "set-level"
	LogsShow   Name = "show-level"
	LogsFrame  Name = "log-frame"

	ComposerSend   Name = "send"
	ComposerNotify Name = "send-as-notification"
	ComposerID     Name = "change-id"
	ComposerRaw    Name = "raw-bytes"
	ComposerWrong  Name = "malform"
	ComposerEditor Name = "compose-in-editor"
	ComposerFormat Name = "format"
	ComposerAnswer Name = "composer-answer"
)

var table = []Command{
	{Help, Global, []string{"?", "f1"}, "keys", "Show the keys that work here", 90},
	{Palette, Global, []string{"ctrl+p", ":"}, "palette", "Find a command by its name", 92},
	{Quit, Global, []string{"q"}, "quit", "Leave; asks when requests are in flight", 95},
	{Interrupt, Global, []string{"ctrl+c"}, "quit", "Leave, from anywhere; twice without being asked", 0},
	{NextRegion, Global, []string{"tab"}, "next", "Go to the next part of the screen", 0},
	{PrevRegion, Global, []string{"shift+tab"}, "previous", "Go to the part before", 0},
	{Back, Global, []string{"esc"}, "back", "One step back; never leaves", 0},
	{Zoom, Global, []string{"\\"}, "zoom", "Give the whole screen to this part, and back", 80},
	{NewFrame, Global, []string{"n"}, "compose", "Write a frame by hand", 20},
	{RestartAll, Global, []string{"R"}, "restart", "End the server and connect anew", 82},
	{ToTraffic, Global, []string{"9"}, "traffic", "Go to the traffic", 0},
	{CancelLast, Global, []string{"x", "ctrl+x"}, "cancel", "Cancel the newest request in flight", 0},
	{Theme, Global, []string{"ctrl+y"}, "theme", "Try the next theme", 0},
	{ShowRecord, Global, nil, "recording", "Copy the path of the recording", 0},
	{Roots, Global, nil, "roots", "The folders that the server may ask for: look, add, take away", 0},

	{CompareAll, Global, nil, "compare revisions", "Run the server under each revision and show what differs", 0},

	{TabServer, Global, []string{"1"}, "server", "The server: connecting, capabilities, process", 0},
	{TabTools, Global, []string{"2"}, "tools", "The tools that the server offers", 0},
	{TabResources, Global, []string{"3"}, "resources", "The resources and templates", 0},
	{TabPrompts, Global, []string{"4"}, "prompts", "The prompts", 0},
	{TabInbox, Global, []string{"5"}, "inbox", "What the server asks you: sampling and elicitation", 0},
	{TabLogs, Global, []string{"6"}, "logs", "Log messages, stderr, stray output", 0},
	{TabTasks, Global, []string{"7"}, "tasks", "Tasks: work that goes on for long", 0},
	{TabProblems, Global, []string{"8"}, "problems", "What breaks the rules of MCP, whose fault it is, and what to do", 0},

	{Down, Global, []string{"j", "down"}, "down", "One line down", 0},
	{Up, Global, []string{"k", "up"}, "up", "One line up", 0},
	{Top, Global, []string{"g", "home"}, "top", "To the first line", 0},
	{Bottom, Global, []string{"G", "end"}, "end", "To the last line", 0},
	{HalfDown, Global, []string{"ctrl+d"}, "half a page down", "Half a screen down", 0},
	{HalfUp, Global, []string{"ctrl+u"}, "half a page up", "Half a screen up", 0},
	{PageDown, Global, []string{"pgdown", "ctrl+f"}, "page down", "A screen down", 0},
	{PageUp, Global, []string{"pgup", "ctrl+b"}, "page up", "A screen up", 0},

	{TrafficOpen, Traffic, []string{"enter"}, "detail", "Show the frame large: tree, bytes, pair, HTTP", 10},
	{TrafficFilter, Traffic, []string{"/"}, "filter", "Show only frames with these words", 15},
	{TrafficFollow, Traffic, []string{"f"}, "follow", "Stay at the newest frame", 30},
	{TrafficPause, Traffic, []string{"p"}, "pause", "Hold the list still; recording goes on", 35},
	{TrafficPair, Traffic, []string{"]", "["}, "pair", "Jump between a request and its answer", 40},
	{TrafficResend, Traffic, []string{"r"}, "resend", "Send this request again under a new id", 25},
	{TrafficEdit, Traffic, []string{"e"}, "edit", "Put this frame into the composer", 27},
	{TrafficCancel, Traffic, []string{"x"}, "cancel", "Cancel this request", 0},
	{TrafficCopy, Traffic, []string{"y"}, "copy", "Copy the frame, exactly as it crossed the wire", 0},
	{DetailWhy, Traffic, []string{"w"}, "what is wrong", "Explain the problems of this frame", 0},
	{ExplainIt, Traffic, []string{"K"}, "explain", "Say what the error, status or method of this frame means", 0},
	{NextError, Traffic, []string{"E"}, "next error", "Go to the next frame that is wrong", 0},
	{PrevError, Traffic, []string{"B"}, "previous error", "Go to the frame before that is wrong", 0},

	{DetailView, Detail, []string{"v"}, "tree/bytes/pair", "Switch between tree, bytes, text, the pair beside it, and HTTP", 12},
	{DetailFold, Detail, []string{"space", "enter"}, "fold", "Fold or unfold", 10},
	{DetailFoldUp, Detail, []string{"h", "left"}, "fold", "Fold, or go to the parent", 0},
	{DetailOpen, Detail, []string{"l", "right"}, "unfold", "Unfold, or go in", 0},
	{DetailAll, Detail, []string{"+", "="}, "unfold all", "Unfold everything", 0},
	{DetailLevel, Detail, []string{"-"}, "fold all", "Fold to the second level", 0},
	{DetailSearch, Detail, []string{"/"}, "search", "Search in keys and values", 16},
	{DetailNext, Detail, []string{"N", "ctrl+n"}, "next hit", "To the next hit", 0},
	{DetailPrev, Detail, []string{"P", "ctrl+k"}, "previous hit", "To the hit before", 0},
	{DetailCopy, Detail, []string{"y"}, "copy value", "Copy the value, exactly as it was sent", 14},
	{DetailPath, Detail, []string{"Y"}, "copy path", "Copy the path of the value", 17},
	{DetailFilter, Detail, []string{"F"}, "filter by this", "Show only frames that hold this value", 0},
	{DetailPair, Detail, []string{"]", "["}, "its pair", "Show the request of this answer, or the answer", 15},
	{TrafficResend, Detail, []string{"r"}, "resend", "Send this request again under a new id", 18},
	{TrafficEdit, Detail, []string{"e"}, "edit", "Put this frame into the composer", 19},
	{DetailWhy, Detail, []string{"w"}, "what is wrong", "Explain the problems of this frame, or only name them", 0},
	{ExplainIt, Detail, []string{"K"}, "explain", "Say what the error, status or method of this frame means", 20},

	{DetailView, Plain, []string{"v"}, "other view", "Switch between tree, bytes, text, the pair beside it, and HTTP", 10},
	{DetailCopy, Plain, []string{"y"}, "copy frame", "Copy the frame, exactly as it crossed the wire", 12},
	{DetailPair, Plain, []string{"]", "["}, "its pair", "Show the request of this answer, or the answer", 14},
	{TrafficResend, Plain, []string{"r"}, "resend", "Send this request again under a new id", 16},
	{TrafficEdit, Plain, []string{"e"}, "edit", "Put this frame into the composer", 17},
	{DetailWhy, Plain, []string{"w"}, "what is wrong", "Explain the problems of this frame, or only name them", 0},
	{ExplainIt, Plain, []string{"K"}, "explain", "Say what the error, status or method of this frame means", 18},

	{BrowseOpen, Browse, []string{"enter", "l", "right"}, "open", "Fill in the arguments, or read it", 10},
	{BrowseFilter, Browse, []string{"/"}, "filter", "Find by name", 15},
	{BrowseRefresh, Browse, []string{"ctrl+r"}, "fetch again", "Ask the server for the list again", 40},
	{BrowseCopy, Browse, []string{"y"}, "copy command", "Copy the command line that does the same", 45},
	{BrowseCompose, Browse, []string{"c"}, "to composer", "Write the request for this by hand", 0},
	{BrowseFollow, Browse, []string{"s"}, "subscribe", "Be told when this resource changes, or no longer", 0},

	{FormSend, Form, []string{"ctrl+s", "enter"}, "call", "Send it", 10},
	{FormSwitch, Form, []string{"ctrl+t"}, "form/JSON", "Switch between the form and JSON", 12},
	{FormEditor, Form, []string{"ctrl+e"}, "$EDITOR", "Write the JSON in your editor", 14},
	{FormCancel, Form, []string{"ctrl+x"}, "cancel call", "Cancel the running call", 0},
	{FormValues, Form, []string{"ctrl+space", "ctrl+@"}, "values", "Choose among values of the server, or fill in the shape of an empty field", 0},
	{FormTask, Form, []string{"ctrl+g"}, "as a task", "As a task, and how long to keep it", 0},
	{FormResult, Form, []string{"ctrl+o"}, "result", "Go to the result", 16},

	{FormSend, Bare, []string{"enter", "ctrl+s"}, "send", "Call it, or read it", 10},
	{FormTask, Bare, []string{"ctrl+g"}, "as a task", "As a task, and how long to keep it", 0},
	{FormResult, Bare, []string{"ctrl+o"}, "result", "Go to the result", 12},
	{BrowseCopy, Bare, []string{"y"}, "copy command", "Copy the command line that does the same", 14},
	{BrowseCompose, Bare, []string{"c"}, "to composer", "Write the request for this by hand", 16},
	{BrowseFollow, Bare, []string{"s"}, "subscribe", "Be told when this resource changes, or no longer", 0},
	{FormCancel, Bare, []string{"ctrl+x", "x"}, "cancel call", "Cancel the running call", 0},

	{ResultSwitch, Result, []string{"v"}, "shown/JSON", "Switch between what is meant and what was sent", 10},
	{ResultCopy, Result, []string{"y"}, "copy", "Copy the result", 12},
	{ResultFrame, Result, []string{"enter"}, "frame", "Show the frame of this answer", 14},

	{EarlierCall, Result, []string{"[", "left"}, "earlier call", "Show the call of this before", 16},
	{LaterCall, Result, []string{"]", "right"}, "later call", "Show the call of this after", 17},
	{DetailFold, Result, []string{"space"}, "fold", "Fold or unfold", 0},
	{DetailFoldUp, Result, []string{"h"}, "fold", "Fold, or go to the parent", 0},
	{DetailOpen, Result, []string{"l"}, "unfold", "Unfold, or go in", 0},
	{DetailAll, Result, []string{"+", "="}, "unfold all", "Unfold everything", 0},
	{DetailLevel, Result, []string{"-"}, "fold all", "Fold to the second level", 0},

	{ServerRetry, Server, []string{"enter"}, "connect again", "End the server and connect anew", 10},
	{ServerCopy, Server, []string{"y"}, "copy report", "Copy this report as text", 12},
	{CompareAll, Server, []string{"d"}, "compare revisions", "Run the server under each revision and show what differs", 14},
	{ExplainIt, Server, []string{"K"}, "explain", "Say what the error, status or step means", 13},

	{ServerCopy, ServerUp, []string{"y"}, "copy report", "Copy this report as text", 12},
	{CompareAll, ServerUp, []string{"d"}, "compare revisions", "Run the server under each revision and show what differs", 14},

	{ConsentOpen, Consent, []string{"o"}, "open the page", "Open the page to agree on in your browser", 10},
	{ConsentCopy, Consent, []string{"y"}, "copy its address", "Copy the address of the page", 12},
	{ConsentCancel, Consent, []string{"x"}, "cancel", "Do not agree, and do without a token", 14},

	{InboxOpen, Inbox, []string{"enter", "l", "right"}, "open", "Write the answer, or show the frame of what has one", 10},
	{InboxAnswer, Inbox, []string{"ctrl+s"}, "answer", "Send the answer as it stands here", 11},
	{InboxDecline, Inbox, []string{"ctrl+d"}, "decline", "Say no", 13},
	{InboxDismiss, Inbox, []string{"ctrl+x"}, "cancel/error", "Answer that nobody chose, or sampling with an error", 0},
	{InboxJSON, Inbox, []string{"ctrl+t"}, "JSON", "Write the whole result as JSON, and back", 17},
	{InboxFrame, Inbox, []string{"ctrl+o"}, "frame", "Show the frame of the request", 21},
	{InboxCopy, Inbox, []string{"y"}, "copy", "Copy the URL, or the request", 25},

	{InboxOpen, Settled, []string{"enter", "l", "right"}, "frame", "Show the frame of the request", 10},
	{InboxFrame, Settled, []string{"ctrl+o"}, "frame", "Show the frame of the request", 0},
	{InboxCopy, Settled, []string{"y"}, "copy", "Copy the URL, or the request", 12},

	{InboxAnswer, Writing, []string{"ctrl+s"}, "answer", "Send the answer as it stands here", 10},
	{InboxDecline, Writing, []string{"ctrl+d"}, "decline", "Say no", 12},
	{InboxDismiss, Writing, []string{"ctrl+x"}, "cancel/error", "Answer that nobody chose, or sampling with an error", 0},
	{InboxJSON, Writing, []string{"ctrl+t"}, "JSON", "Write the whole result as JSON, and back", 16},
	{InboxFrame, Writing, []string{"ctrl+o"}, "frame", "Show the frame of the request", 20},
	{InboxEditor, Writing, []string{"ctrl+e"}, "$EDITOR", "Write it in your editor", 18},

	{TaskOpen, Tasks, []string{"enter", "l", "right"}, "open", "To the result, or what it asks you", 10},
	{TaskCancel, Tasks, []string{"x", "ctrl+x"}, "cancel", "Have the server stop the task", 12},
	{TaskLook, Tasks, []string{"ctrl+r"}, "ask again", "Ask how the task stands now", 14},
	{TaskFrame, Tasks, []string{"ctrl+o"}, "frame", "Show the newest frame of the task", 16},
	{TaskCopy, Tasks, []string{"y"}, "copy id", "Copy the id of the task", 18},
	{TaskList, Tasks, []string{"L"}, "list", "Ask the server which tasks it knows", 22},

	{ResultSwitch, Outcome, []string{"v"}, "shown/JSON", "Switch between what is meant and what was sent", 10},
	{ResultCopy, Outcome, []string{"y"}, "copy", "Copy the result", 12},
	{ResultFrame, Outcome, []string{"enter", "ctrl+o"}, "frame", "Show the frame with the result", 14},
	{DetailFold, Outcome, []string{"space"}, "fold", "Fold or unfold", 0},
	{DetailFoldUp, Outcome, []string{"h"}, "fold", "Fold, or go to the parent", 0},
	{DetailOpen, Outcome, []string{"l"}, "unfold", "Unfold, or go in", 0},
	{DetailAll, Outcome, []string{"+", "="}, "unfold all", "Unfold everything", 0},
	{DetailLevel, Outcome, []string{"-"}, "fold all", "Fold to the second level", 0},

	{ProblemOpen, Problems, []string{"enter"}, "frame", "Show the frame at the place that this is about", 10},
	{DetailFold, Problems, []string{"space"}, "unfold", "Show or hide the single findings of the rule", 12},
	{DetailFoldUp, Problems, []string{"h", "left"}, "fold", "Hide the single findings of the rule", 0},
	{DetailOpen, Problems, []string{"l", "right"}, "unfold", "Show the findings of the rule one by one", 0},
	{DetailAll, Problems, []string{"+", "="}, "unfold all", "Show all findings one by one", 0},
	{DetailLevel, Problems, []string{"-"}, "fold all", "Show the rules alone", 0},
	{ProblemMute, Problems, []string{"m"}, "mute", "Leave this rule out for this session, or no longer", 14},
	{ProblemAlways, Problems, []string{"M"}, "mute always", "Leave this rule out in every session, or no longer: written to the file of settings", 0},
	{ExplainIt, Problems, []string{"K"}, "explain", "Show all that the catalogue says of this rule", 18},
	{ProblemFilter, Problems, []string{"/"}, "filter", "Show only problems with these words", 15},
	{ProblemShow, Problems, []string{"s"}, "severity", "Hide what is less severe", 16},
	{ProblemCopy, Problems, []string{"y"}, "copy", "Copy the finding as text", 17},
	{ProblemJSON, Problems, []string{"Y"}, "copy JSON", "Copy the finding as JSON, like mcptea lint --json", 0},

	{LogsFilter, Logs, []string{"/"}, "filter", "Show only entries with these words", 15},
	{LogsShow, Logs, []string{"s"}, "severity", "Hide what is less severe", 20},
	{LogsLevel, Logs, []string{"L"}, "server level", "Tell the server from which level on to send", 25},
	{LogsFrame, Logs, []string{"enter"}, "frame", "Show the frame that this came in", 10},
	{TrafficFollow, Logs, []string{"f"}, "follow", "Stay at the newest entry", 30},

	{ComposerSend, Composer, []string{"ctrl+s", "ctrl+j"}, "send", "Send it", 10},
	{ComposerNotify, Composer, []string{"ctrl+n"}, "notification", "Send it without an id", 12},
	{ComposerID, Composer, []string{"ctrl+g"}, "id", "Next kind of id: automatic, your own, text, null, none, one that was used", 13},
	{ComposerRaw, Composer, []string{"ctrl+b"}, "bytes as they are", "Write the whole frame, byte by byte", 14},
	{ComposerWrong, Composer, []string{"ctrl+w"}, "get it wrong", "Choose a way to get the frame wrong on purpose", 0},
	{ComposerFormat, Composer, []string{"ctrl+l"}, "format", "Indent the JSON", 0},
	{ComposerAnswer, Composer, []string{"ctrl+o"}, "answer", "Show the answer's frame", 15},
	{ComposerEditor, Composer, []string{"ctrl+e"}, "$EDITOR", "Write it in your editor", 16},
}
