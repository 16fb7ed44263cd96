package command

// The commands, each named for what it does. A pane carries out those of its own
// contexts, the program those of Global.
const (
	Quit              ID = "quit"
	Interrupt         ID = "interrupt"
	Suspend           ID = "suspend"
	Help              ID = "help"
	Palette           ID = "commands"
	NextPane          ID = "pane.next"
	PreviousPane      ID = "pane.previous"
	Back              ID = "back"
	Zoom              ID = "zoom"
	Compose           ID = "compose"
	Restart           ID = "restart"
	CancelNewest      ID = "cancel.newest"
	NextTheme         ID = "theme.next"
	ToggleMarkdown    ID = "markdown"
	CopyRecordingPath ID = "copy.recording-path"
	CompareRevisions  ID = "compare.revisions"
	EditRoots         ID = "roots"

	TabServer    ID = "tab.server"
	TabTools     ID = "tab.tools"
	TabResources ID = "tab.resources"
	TabPrompts   ID = "tab.prompts"
	TabInbox     ID = "tab.inbox"
	TabLogs      ID = "tab.logs"
	TabTasks     ID = "tab.tasks"
	TabProblems  ID = "tab.problems"
	TabTraffic   ID = "tab.traffic"

	Up       ID = "move.up"
	Down     ID = "move.down"
	PageUp   ID = "move.page-up"
	PageDown ID = "move.page-down"
	HalfUp   ID = "move.half-page-up"
	HalfDown ID = "move.half-page-down"
	Top      ID = "move.first"
	Bottom   ID = "move.last"

	ToggleFold  ID = "fold.toggle"
	Collapse    ID = "fold.close"
	Expand      ID = "fold.open"
	ExpandAll   ID = "fold.open-all"
	CollapseAll ID = "fold.close-all"

	Explain         ID = "explain"
	ExplainFindings ID = "explain.findings"

	FilterTraffic ID = "filter.traffic"
	Follow        ID = "follow"
	Pause         ID = "pause"
	OpenFrame     ID = "frame.open"
	JumpToPair    ID = "frame.pair"
	Resend        ID = "resend"
	EditFrame     ID = "frame.edit"
	CopyFrame     ID = "copy.frame"

	SwitchView    ID = "frame.view"
	Search        ID = "search"
	NextMatch     ID = "search.next"
	PreviousMatch ID = "search.previous"

	OpenItem    ID = "item.open"
	FilterList  ID = "filter.list"
	CopyCommand ID = "copy.command"
	ComposeItem ID = "compose.item"
	Subscribe   ID = "subscribe"

	TabBuild   ID = "tab.build"
	NextChange ID = "change.next"
	SeeChanges ID = "change.see"

	SendCall        ID = "call.send"
	AddItem         ID = "item.add"
	RemoveItem      ID = "item.remove"
	MoveItemUp      ID = "item.up"
	MoveItemDown    ID = "item.down"
	CycleEmpty      ID = "field.empty"
	ToggleValueJSON ID = "field.json"
	OpenEditor      ID = "editor"
	CancelCall      ID = "cancel.call"
	ShowResult      ID = "result"
	Complete        ID = "complete"
	OpenSource      ID = "source.open"

	ShowResultFrame ID = "result.frame"
	NextSection     ID = "result.section-next"
	ToggleWrap      ID = "result.wrap"
	PreviousCall    ID = "call.previous"
	NextCall        ID = "call.next"

	ExtendTimeout ID = "timeout.extend"

	OpenTask   ID = "task.open"
	CancelTask ID = "cancel.task"

	ExportFrames ID = "export"

	MarkFrame      ID = "mark"
	DiffFrames     ID = "diff"
	CompareServers ID = "compare.servers"

	AddBreakpoint ID = "breakpoint"
	TabIntercept  ID = "tab.intercept"
	RemoveEntry   ID = "intercept.remove"

	Accept        ID = "dialog.accept"
	Dismiss       ID = "dialog.close"
	ToggleScope   ID = "dialog.scope"
	ApplyFilter   ID = "filter.apply"
	ClearFilter   ID = "filter.clear"
	NextField     ID = "field.next"
	PreviousField ID = "field.previous"

	OpenTarget ID = "target.open"
	ClearLine  ID = "target.clear"

	InsertSuggestion ID = "suggestion.insert"

	PinCall  ID = "pin"
	ShowPins ID = "pins"
)
