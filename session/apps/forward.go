package apps

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/offer/content"
	"mcptea/offer/declared"
	"mcptea/session/session"
)

// forward sends a request of the app to the server under a new id, and returns the result.
// When the app cancels, the server gets a cancellation.
func (a *App) forward(ctx context.Context, m message) ([]byte, error) {
	token := jsonrpc.Get(m.params, "_meta", "progressToken")
	origin := session.Origin{Row: m.row}
	if token != nil {
		token = slices.Clone(token)
		origin.Progress = func(params []byte) {
			withToken := jsonrpc.SpanOf(params, jsonrpc.Get(params, "progressToken")).Replace(params, token)
			a.send(jsonrpc.EncodeNotification("notifications/progress", withToken))
		}
	}
	return a.s.StartFor(origin, m.method, m.params).Wait(ctx)
}

// callTool calls a tool of the server, if the app may do that and the user agrees.
func (a *App) callTool(ctx context.Context, m message) ([]byte, error) {
	name, ok := jsonrpc.Unquote(jsonrpc.Get(m.params, "name"))
	if !ok {
		return nil, invalidParams("tools/call has no name of a tool")
	}
	call, err := client.Propose(m.method, m.params)
	if err != nil {
		return nil, invalidParams("%v", err)
	}
	tools := a.s.State().Lists[client.Tools.Name]
	if _, ok := tools.Find(name); !ok {
		return nil, invalidParams("the server of this app has no tool %s", name)
	}
	for _, item := range tools.Items { // if several have the name, the server decides which one it calls
		if tool, _ := declared.OfTool(item.Raw); item.Key() == name && !tool.ForApp {
			return nil, invalidParams("the visibility of the tool %s does not name app", name)
		}
	}
	if !tools.IsReadOnly(name) && !slices.Contains(a.o.Allowed, name) {
		if err := a.ask(ctx, Question{Kind: AskCall, Call: call}); err != nil {
			return nil, err
		}
	}
	a.update(func(st *State) { st.Calls++ })
	return a.forward(ctx, m)
}

// maxFiles bounds the files of one download.
const maxFiles = 20

// download saves the files that the app offers, if the user agrees.
func (a *App) download(ctx context.Context, m message) ([]byte, error) {
	if a.o.Save == nil || a.o.Bare {
		return nil, &refusal{jsonrpc.CodeMethodNotFound, "mcptea does not save files here"}
	}
	contents := jsonrpc.Get(m.params, "contents")
	n := 0
	for range jsonrpc.Elements(contents) {
		n++
	}
	switch {
	case n == 0:
		return nil, invalidParams("ui/download-file has no contents")
	case n > maxFiles: // checked before the user is asked about the first file
		return nil, refused("one download has at most %d files", maxFiles)
	}
	for block := range jsonrpc.Elements(contents) {
		name, data, err := a.file(ctx, m, block)
		if err != nil {
			return nil, err
		}
		if err := a.ask(ctx, Question{Kind: AskFile, Name: name, Size: len(data)}); err != nil {
			return nil, err
		}
		if _, err := a.o.Save(name, data); err != nil {
			return nil, refused("the file could not be saved: %v", err)
		}
	}
	return nil, nil
}

// file returns the name and the bytes of an embedded resource, or of a resource of the server that
// a link points to.
func (a *App) file(ctx context.Context, m message, block []byte) (name string, data []byte, err error) {
	item := content.Block(block)
	if item.IsLink() {
		m.method, m.params = "resources/read", client.Params(map[string]string{"uri": item.URI})
		result, err := a.forward(ctx, m)
		if err != nil {
			return "", nil, err
		}
		contents := content.Contents(result)
		if len(contents) == 0 {
			return "", nil, refused("the server has returned no contents of the file")
		}
		item = contents[0]
	}
	if item.Kind != "resource" {
		return "", nil, invalidParams("a file is neither an embedded resource nor a link to one")
	}
	if data, err = item.Data(); err != nil {
		return "", nil, invalidParams("a file cannot be read: %v", err)
	}
	return item.FileName(), data, nil
}

// maxCopies bounds the names that are tried for a file.
const maxCopies = 1000

// Save implements [Options.Save]: it writes a file with an unused name and mode 0600 to the working directory.
func Save(name string, data []byte) (string, error) {
	ext, at := filepath.Ext(name), name
	for n := range maxCopies {
		if n > 0 {
			at = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext)
		}
		f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		} else if err != nil {
			return "", err
		}
		_, err = f.Write(data)
		return at, errors.Join(err, f.Close())
	}
	return "", fmt.Errorf("%s and %d files with such a name exist already", name, maxCopies)
}
