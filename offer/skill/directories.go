package skill

import (
	"context"
	"maps"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
)

// Ask sends a request and waits for the result; an error response is an error.
type Ask = func(ctx context.Context, method string, params []byte) (result []byte, err error)

// CompareDirectories reads the directories of the skill and describes the files that only the entry or only the
// directories have, or returns "". It sends at most 200 requests.
func (e *Entry) CompareDirectories(ctx context.Context, ask Ask) (difference string, err error) {
	found, err := directories(ctx, ask, strings.TrimSuffix(e.Root(), "/"))
	if err != nil {
		return "", err
	}
	return e.difference(found), nil
}

// maxDirectories bounds the requests of a comparison.
const maxDirectories = 200

// directories returns the files below a directory.
func directories(ctx context.Context, ask Ask, root string) (files map[string]bool, err error) {
	files, seen := map[string]bool{}, map[string]bool{root: true}
	waiting, requests := []string{root}, 0
	for len(waiting) > 0 {
		dir, cursor := waiting[0], ""
		waiting = waiting[1:]
		for {
			if requests++; requests > maxDirectories {
				return files, nil
			}
			params := append(append(jsonrpc.AppendMember([]byte("{"), "uri", []byte(jsonrpc.Quote(dir))), cursor...), '}')
			got, err := ask(ctx, "resources/directory/read", params)
			if err != nil {
				return nil, err
			}
			for child := range jsonrpc.Elements(jsonrpc.Get(got, "resources")) {
				uri := strings.TrimSuffix(jsonrpc.Text(child, "uri"), "/")
				switch {
				case jsonrpc.Text(child, "mimeType") != "inode/directory":
					files[uri] = true
				case !seen[uri] && strings.HasPrefix(uri, root+"/"):
					seen[uri] = true
					waiting = append(waiting, uri)
				}
			}
			next := jsonrpc.Get(got, "nextCursor")
			if next == nil || string(next) == "null" {
				break
			}
			cursor = `,"cursor":` + string(next)
		}
	}
	return files, nil
}

// difference describes the files that only the entry or only the directories have, or returns "". It empties
// found.
func (e *Entry) difference(found map[string]bool) string {
	var parts []string
	for _, f := range e.Files {
		if !found[f.URI] {
			parts = append(parts, "not in the directory: "+e.Relative(f.URI))
		}
		delete(found, f.URI)
	}
	for _, uri := range slices.Sorted(maps.Keys(found)) {
		parts = append(parts, "not in the entry: "+e.Relative(uri))
	}
	return strings.Join(parts, "; ")
}
