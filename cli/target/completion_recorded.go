package target

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"mcptea/internal/system"

	"github.com/spf13/cobra"

	"mcptea/cli/settings"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/display"
	"mcptea/record"
	"mcptea/record/recordings"
)

// CompleteFiles completes file names: recordings if the word is the start of any, otherwise files with one of the
// extensions. Without extensions, it completes all files.
func CompleteFiles(extensions ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		// Glob rejects only malformed patterns, and a word usually contains none.
		if found, _ := filepath.Glob(word + "*" + recordings.Suffix); len(found) > 0 {
			return found, cobra.ShellCompDirectiveNoFileComp
		}
		if len(extensions) == 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

const (
	// maxRecorded bounds how many recordings are searched for names, newest first.
	maxRecorded = 10
	// maxRecordedRead bounds the bytes read of each recording: the lists are at its start.
	maxRecordedRead = 4 << 20
)

// recordedNames returns the entries of lists in the newest recording of the server that the
// flags name, or of any server without them, each with its title. Nothing is started.
func (p *Target) recordedNames(cmd *cobra.Command, lists []revision.List) []string {
	dir, of := p.recordingsAndTarget(cmd)
	all, err := recordings.List(dir)
	if err != nil {
		return nil
	}
	for _, r := range all[:min(len(all), maxRecorded)] {
		if names := namesIn(cmd.Context(), r.Path, of, lists); len(names) > 0 {
			return names
		}
	}
	return nil
}

// recordingsAndTarget returns the directory of the recordings, and the target in the headers of recordings of
// the server of --url or --server, or "" for any server.
func (p *Target) recordingsAndTarget(cmd *cobra.Command) (dir, of string) {
	current := settings.New(p.App)
	if read, err := settings.Read(cmd.Context(), settings.Path("", p.Env.Get)); err == nil {
		current.Configured = read
	}
	dir, _ = current.RecordingDir()
	if url := p.Flags.URL; url != "" {
		return dir, Redacted(url)
	}
	name := p.Flags.Server
	if name == "" {
		return dir, ""
	}
	if line, ok := current.Configured.Servers[name]; ok {
		return dir, Redacted(line)
	}
	if c, _, err := Discover(cmd.Context()); err == nil {
		for _, s := range ServersNamed(c, name) {
			return dir, s.Written.String()
		}
	}
	return dir, name
}

// namesIn returns the entries of lists in a recording, if it is one of a server.
func namesIn(ctx context.Context, path, of string, lists []revision.List) (names []string) {
	f, _, err := system.OpenRegular(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	lines := record.NewLines(ctx, io.LimitReader(f, maxRecordedRead))
	defer lines.Close()
	first, _ := lines.Next()
	r, err := record.NewReader(first, lines)
	if err != nil || of != "" && r.Header.Target != of {
		return nil
	}
	seen := map[string]bool{}
	for e, err := range r.Events() {
		if err != nil {
			break
		}
		if e.Kind != record.KindFrame {
			continue
		}
		result := e.Frame.Envelope.Result.Of(e.Frame.Bytes)
		for _, list := range lists {
			for item := range jsonrpc.Elements(jsonrpc.Get(result, list.Member)) {
				name := jsonrpc.Text(item, list.Key)
				if name == "" || seen[name] {
					continue
				}
				seen[name] = true
				title, _, _ := strings.Cut(jsonrpc.Text(item, "description"), "\n")
				names = append(names, cobra.CompletionWithDesc(display.Sanitize(name), display.Cut(display.Sanitize(title), 60)))
			}
		}
	}
	return names
}
