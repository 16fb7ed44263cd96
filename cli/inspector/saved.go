package inspector

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcptea/cli/settings"
	ui "mcptea/ui/inspector"
	"mcptea/ui/program"
)

// lookInterval is the interval between checks of the configuration file and the themes for changes.
const lookInterval = time.Second

// maxThemes bounds the theme files that are checked for changes.
const maxThemes = 200

// savedSettings returns a function that waits until the configuration file or a theme was saved, and reads them
// again. It neither writes nor starts anything: the settings that it returns contain no servers, commands or
// consent. The function must be used by one goroutine at a time.
func savedSettings(p *settings.Settings, themeDir string) func(ctx context.Context) (program.Settings, error) {
	files := func() string { return signature(p.ConfigPath, themeDir) }
	read := files()
	return func(ctx context.Context) (program.Settings, error) {
		for last := read; ; {
			select {
			case <-ctx.Done():
				return program.Settings{}, ctx.Err()
			case <-time.After(lookInterval):
			}
			now := files()
			if now == read || now != last { // an editor may still be writing
				last = now
				continue
			}
			read = now
			next, err := p.Again(ctx)
			if err == nil {
				err = CheckKeys(next)
			}
			if err != nil {
				return program.Settings{}, err
			}
			return settingsOf(next), nil
		}
	}
}

// settingsOf returns the settings that a running inspector takes over.
func settingsOf(p *settings.Settings) program.Settings {
	return program.Settings{Theme: p.Flags.Theme, NoMouse: !p.Flags.Mouse, Quiet: isQuiet(p), Keys: p.Configured.Keys, Own: ui.Own{Filters: p.NamedFilters, Commands: p.Configured.Commands}.IDs()}
}

// signature changes if a file is saved, created or removed.
func signature(config, themeDir string) string {
	var b strings.Builder
	add := func(path string) {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	if config != "" {
		add(config)
	}
	all, _ := filepath.Glob(filepath.Join(themeDir, "*")) // the pattern is well formed
	for _, path := range all[:min(len(all), maxThemes)] {
		add(path)
	}
	return b.String()
}
