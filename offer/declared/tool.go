// Package declared reads a server's declarations for MCP Apps, the extension io.modelcontextprotocol/ui
// (version 2026-01-26): which tool has an app, who may call the tool, and the policy and permissions of the
// app's document.
//
// The functions take raw JSON of a peer, keep no reference to it unless a comment says so, never panic, and are
// safe for concurrent use. Text that they return is untrusted.
package declared

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// The names of the extension.
const (
	Extension = revision.AppsExtension
	Scheme    = "ui://"                              // scheme of the URI of an app
	MIMEType  = revision.AppsMIMEType                // MIME type of the document, exact
	FlatKey   = "ui/resourceUri"                     // deprecated member of _meta of a tool
	Version   = "2026-01-26"                         // version of the messages between app and host
	Settings  = `{"mimeTypes":["` + MIMEType + `"]}` // declaration of a host for the extension
)

// A Tool holds the declarations of an entry of tools/list.
type Tool struct {
	// URI is the resource of the app; empty if the tool has none, or a value that is not a
	// string that begins with [Scheme]. The nested member wins over the flat one.
	URI string
	// ForModel and ForApp report who may call the tool: both by default, only those named by an array, neither
	// if visibility is not an array.
	ForModel, ForApp bool

	UI         []byte // raw _meta.ui of any type, or nil; aliases the entry
	Nested     []byte // raw _meta.ui.resourceUri, or nil
	Flat       []byte // raw _meta["ui/resourceUri"], or nil
	Visibility []byte // raw _meta.ui.visibility, or nil
}

// OfTool reads a raw entry of tools/list. It returns false for a tool without declarations of the extension,
// which both parties may call.
func OfTool(tool []byte) (Tool, bool) {
	t := Tool{ForModel: true, ForApp: true}
	meta := jsonrpc.Get(tool, "_meta")
	t.UI, t.Flat = jsonrpc.Get(meta, "ui"), jsonrpc.Get(meta, FlatKey)
	t.Nested, t.Visibility = jsonrpc.Get(t.UI, "resourceUri"), jsonrpc.Get(t.UI, "visibility")
	uri := t.Nested
	if uri == nil {
		uri = t.Flat
	}
	if text, ok := jsonrpc.Unquote(uri); ok && strings.HasPrefix(text, Scheme) {
		t.URI = text
	}
	if t.Visibility != nil {
		t.ForModel, t.ForApp = false, false
		for _, party := range jsonrpc.Strings(t.Visibility) {
			t.ForModel = t.ForModel || party == "model"
			t.ForApp = t.ForApp || party == "app"
		}
	}
	return t, t.UI != nil || t.Flat != nil
}

// AppOnly reports a tool that only an app of the same server may call.
func (t Tool) AppOnly() bool { return t.ForApp && !t.ForModel }
