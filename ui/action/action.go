// Package action is what a pane asks the program to do, as data: send a request,
// show a frame, copy a text; and the events with which the program reports the
// outcome.
//
// It knows commands, sessions and cards. It must not know panes, keys or how an
// action is carried out.
package action

import (
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/failure/card"
	"mcptea/ui/command"
)

// Action is what a pane asks the root to do. A nil Action is nothing.
type Action interface{ action() }

// Start sends a request under a new id. A Started event with the same Ref
// follows before the next paint.
type Start struct {
	Ref    string
	Method string
	Params []byte
}

// StartFrame sends the bytes of a frame unchanged. A Started event follows, as after Start.
type StartFrame struct {
	Ref   string
	Frame []byte
}

// Cancel gives a running request up.
type Cancel struct{ ID jsonrpc.ID }

// ShowTab goes to the tab that a command names.
type ShowTab struct{ Tab command.ID }

// SelectFrame shows a frame in Traffic and Detail.
type SelectFrame struct{ Row int32 }

// SelectPlace shows a frame in Traffic and Detail, at a place that a JSON pointer
// names or, where the offset is not -1, at a byte.
type SelectPlace struct {
	Row    int32
	Path   string
	Offset int
}

// Copy puts text on the clipboard; What names it in the flash line. Bytes are text
// that is long, instead of Text; they must not change.
type Copy struct {
	Text, What string
	Bytes      []byte
	// Needs are the environment variables that a command needs which is copied.
	Needs []string
}

// Compose opens the composer with a draft.
type Compose struct{ Method, Params string }

// ComposeFrame opens the composer with bytes.
type ComposeFrame struct{ Frame []byte }

// Edit opens the user's editor on a text. An Edited event with the same Ref
// follows, unless the editor fails.
type Edit struct {
	Ref          string
	Text, Suffix string
}

// OpenFile opens a file of the user in the user's editor, at a line from 1.
type OpenFile struct {
	Path string
	Line int
}

// Restart stops the server and connects again.
type Restart struct{}

// ExtendTimeout gives a pending request more time. Without an ID it extends the
// running wait of connecting.
type ExtendTimeout struct{ ID jsonrpc.ID }

// Extension is how much longer a request may take after ExtendTimeout.
const Extension = 30 * time.Second

// ConnectTo ends the view of a recording and connects to a target: a command line or
// a URL. The draft is put into the composer; nothing is sent.
type ConnectTo struct {
	Target string
	Draft  Draft
	// Recorded reports that the target is text of a recording, to which the user has not
	// agreed yet.
	Recorded bool
}

// Quit ends the program without a question.
type Quit struct{}

// Draft is a request, by its method and params, or a frame with exact bytes.
type Draft struct {
	Method        string
	Params, Frame []byte
}

// Accepted closes the window that is open and carries an action out.
type Accepted struct{ Action Action }

// MarkFrame marks a frame, or unmarks it; no row unmarks all.
type MarkFrame struct{ Row int32 }

// CloseWindow closes the window that is open.
type CloseWindow struct{}

// Do is what the user has agreed to.
type Do func()

// OpenPage opens a page in the user's browser. From says who has named it; the user is
// asked then. It is empty for the pages that mcptea itself refers to.
type OpenPage struct{ URL, From string }

// Focus moves the focus to another region.
type Focus struct{ Region Region }

// Leave is what a pane answers to esc and to tab past its end when it has no
// use for them.
type Leave struct{ Forward bool }

// Flash shows a sentence in the last line for a while.
type Flash struct {
	Text  string
	Wrong bool
	Stay  bool // until the next key, and not for seconds
}

// Explain shows a card whole.
type Explain struct{ Card card.Card }

// ExplainRow shows the card of what a frame is about; AsHTTP that of the status
// it came with.
type ExplainRow struct {
	Row    int32
	AsHTTP bool
}

func (Start) action()         {}
func (StartFrame) action()    {}
func (Cancel) action()        {}
func (ShowTab) action()       {}
func (SelectFrame) action()   {}
func (SelectPlace) action()   {}
func (Copy) action()          {}
func (Compose) action()       {}
func (ComposeFrame) action()  {}
func (Edit) action()          {}
func (OpenFile) action()      {}
func (Restart) action()       {}
func (ConnectTo) action()     {}
func (ExtendTimeout) action() {}
func (Accepted) action()      {}
func (MarkFrame) action()     {}
func (Do) action()            {}
func (CloseWindow) action()   {}
func (OpenPage) action()      {}
func (Quit) action()          {}
func (Focus) action()         {}
func (Leave) action()         {}
func (Flash) action()         {}
func (Explain) action()       {}
func (ExplainRow) action()    {}

// Region is a part of the screen that can have the focus.
type Region uint8

// The regions, in the order in which tab goes through them.
const (
	RegionTab Region = iota
	RegionPins
	RegionTraffic
	RegionDetail
	RegionComposer
)
