package client

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Root is a folder that the server may work in (specification, client /
// roots).
type Root struct {
	URI  string `json:"uri"`
	Name string `json:"name,omitempty"`
}

// RootOf returns the root for an existing directory.
func RootOf(dir string) (Root, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return Root{}, err
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return Root{}, fmt.Errorf("%s is not a directory", path)
	}
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	u := url.URL{Scheme: "file", Path: slashed}
	return Root{URI: u.String(), Name: filepath.Base(path)}, nil
}

// roots returns the result of roots/list.
func (c *Client) roots() []byte {
	roots := read(c, func(s *state) []Root { return s.roots })
	if roots == nil {
		roots = []Root{}
	}
	return Params(map[string]any{"roots": roots})
}

// SetRoots replaces the roots and notifies the server, if the connection has a
// handshake; a stateless server asks for them when it needs them (2026-07-28,
// client / roots). The slice is copied.
func (c *Client) SetRoots(ctx context.Context, roots []Root) error {
	var notify bool
	c.update(func(s *state) {
		s.roots = slices.Clone(roots)
		notify = s.connected && !s.stateless
	})
	if !notify {
		return nil
	}
	return c.Notify(ctx, "notifications/roots/list_changed", nil)
}
