package target

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client"
	filewatch "mcptea/session/runs/watch"
)

// watchDefault is the value of --watch if the user gives no value.
const watchDefault = "auto"

// AddReload declares the flags that restart a server when its files change.
func (p *Target) AddReload(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupReload, func(fs *pflag.FlagSet) {
		fs.StringArrayVar(&p.Flags.Watch, "watch", nil, "restart the server when a file under `PATH` changes, except data that it writes itself; by default the directory of the server's program, or the working directory; repeatable")
		fs.Lookup("watch").NoOptDefVal = watchDefault
		fs.StringVar(&p.Flags.Build, "build", "", "run this shell command first, and restart the server only when it passes; implies --watch  `COMMAND`")
	})
	_ = cmd.MarkFlagDirname("watch")
}

// TakeWatched makes words next to the target the paths of a --watch without a value, as in mcptea --watch src
// lib -- node server.js, and returns the other words.
func (p *Target) TakeWatched(words []string) []string {
	at := slices.Index(p.Flags.Watch, watchDefault)
	if at < 0 || len(words) == 0 {
		return words
	}
	p.Flags.Watch = slices.Concat(p.Flags.Watch[:at], p.Flags.Watch[at+1:], words)
	return nil
}

// Watches reports whether --watch or --build is given.
func (p *Target) Watches() bool { return len(p.Flags.Watch) > 0 || p.Flags.Build != "" }

// Reload returns a loop that builds the server and restarts it when its files or the others change, and a
// function that ends the loop. It returns nil without --watch and --build. notify is called after each change
// of the loop's state, note reports messages for the user.
func (p *Target) Reload(s filewatch.Session, t client.Target, notify func(), note func(string), others ...string) (*filewatch.Loop, func(), error) {
	if !p.Watches() {
		return nil, func() {}, nil
	}
	paths, before := slices.Clone(p.Flags.Watch), ""
	if len(paths) == 0 {
		paths, before = []string{watchDefault}, "--watch "
	}
	return p.reload(s, t, before, paths, notify, note, others...)
}

// reload is like [Target.Reload], but with the paths of the flags. before is the text that the user must type
// before another --watch.
func (p *Target) reload(s filewatch.Session, t client.Target, before string, paths []string, notify func(), note func(string), others ...string) (*filewatch.Loop, func(), error) {
	names := make([]string, len(paths))
	for i, path := range paths {
		if path == watchDefault {
			path = watchedDir(t, p.Flags.Build != "")
		}
		paths[i], names[i] = path, shownPath(path)
	}
	sources := &filewatch.Sources{Note: note, Before: before, Program: programFile(t)}
	unsubscribe := func() {}
	if s != nil {
		sources.Calls = s.Calls
		sources.Settled, unsubscribe = s.Settled()
	}
	w, err := sources.Open(append(paths, others...)...)
	if err != nil {
		unsubscribe()
		return nil, nil, app.Usage("Name the directories of the source with --watch=PATH.", "%s", err.Error())
	}
	loop := filewatch.New(s, filewatch.Config{
		Changes: w.Changes(), Generation: w.Now, Settle: w.Settle, Watching: strings.Join(names, ", "), Build: p.Flags.Build,
		Sources: sources, Notify: notify, Note: note,
	})
	return loop, func() { unsubscribe(); w.Close() }, nil
}

// WatchNow is like [Target.Reload], but ignores the flags and watches the files that suit the target.
func (p *Target) WatchNow(s filewatch.Session, notify func(), note func(string)) (*filewatch.Loop, func(), error) {
	return p.reload(s, s.Target(), "--watch ", []string{watchDefault}, notify, note)
}

// programFile returns the absolute path of a server's program if its command line contains a path, or "".
func programFile(t client.Target) string {
	if !t.IsStdio() || len(t.Argv) == 0 || !strings.ContainsRune(t.Argv[0], filepath.Separator) {
		return ""
	}
	path := t.Argv[0]
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.Dir, path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	return path
}

// watchedDir returns the directory of a server's source: the directory of its program, or of the first argument
// that names a file, such as a script. It returns the working directory for a program that is built or found on
// PATH, and for a URL.
func watchedDir(t client.Target, built bool) string {
	const working = "."
	if built || !t.IsStdio() {
		return working
	}
	for i, word := range t.Argv {
		if i == 0 && !strings.ContainsRune(word, filepath.Separator) || strings.HasPrefix(word, "-") {
			continue
		}
		path := word
		if !filepath.IsAbs(path) {
			path = filepath.Join(t.Dir, word)
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || i == 0 && filepath.IsAbs(word) && !underWorkingDir(word) {
			continue
		}
		return filepath.Dir(path)
	}
	if t.Dir != "" {
		return t.Dir
	}
	return working
}

// underWorkingDir reports whether a path is below the working directory: users do not edit programs of the
// system, such as /usr/bin/node.
func underWorkingDir(path string) bool {
	dir, err := os.Getwd()
	if err != nil {
		return false
	}
	rest, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rest)
}

// shownPath returns the last part of a path, with a separator after a directory.
func shownPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	name := filepath.Base(abs)
	if info, err := os.Stat(abs); err == nil && info.IsDir() {
		name += string(filepath.Separator)
	}
	return name
}
