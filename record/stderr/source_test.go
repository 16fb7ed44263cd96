package stderr_test

import (
	"os"
	"path/filepath"
	"testing"

	"mcptea/record/stderr"
)

func TestSource(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"server.js", "node_modules/sdk/index.js"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name  string
		lines []string
		file  string
		line  int
	}{
		{"a syntax error", []string{filepath.Join(dir, "server.js") + ":17", "const = 1;", "SyntaxError: Unexpected token"}, filepath.Join(dir, "server.js"), 17},
		{"a relative path", []string{"    at f (server.js:3:1)"}, filepath.Join(dir, "server.js"), 3},
		{"a library", []string{"    at g (" + filepath.Join(dir, "node_modules", "sdk", "index.js") + ":1:1)", "    at f (server.js:4:1)"}, filepath.Join(dir, "server.js"), 4},
		{"a file that does not exist", []string{"    at f (gone.js:3:1)"}, "", 0},
		{"no place", []string{"listening"}, "", 0},
	} {
		if at := stderr.SourceOf(tc.lines, stderr.Origin{Dir: dir}); at != (stderr.Source{File: tc.file, Line: tc.line}) {
			t.Errorf("%s: %+v, want %s:%d", tc.name, at, tc.file, tc.line)
		}
	}
}

// A server that mcptea has started may run in its directory: the path is absolute all the same.
func TestSource_IsAbsolute(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, name := range []string{"server.js", "+!touch x.js", "-c.js", "sub/server.js"} {
		save(t, dir, name)
		for _, from := range []string{"", ".", dir} {
			if at := stderr.SourceOf(named(name), stderr.Origin{Dir: from}); at.File != filepath.Join(dir, name) || at.Ran != "" {
				t.Errorf("%q in %q: %+v", name, from, at)
			}
		}
	}
	if at := stderr.SourceOf(named("server.js"), stderr.Origin{Dir: "sub"}); at.File != filepath.Join(dir, "sub", "server.js") {
		t.Errorf("%+v", at)
	}
}

// save writes an empty file.
func save(t *testing.T, parts ...string) string {
	t.Helper()
	path := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// named are lines that name line 3 of a file.
func named(file string) []string {
	return []string{"Traceback (most recent call last):", `  File "` + file + `", line 3, in <module>`, "Error: bad"}
}

// What a recording names counts only in the folder that it says the server ran in, and only if that
// is there. Of the folder of the recording itself nothing is asked.
func TestSource_OfARecording(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	report, project, other := filepath.Join(top, "report"), filepath.Join(top, "project"), filepath.Join(top, "project-other")
	recording := save(t, report, "bug.mcptea.jsonl")
	own, inside := save(t, report, "+!touch x.js"), save(t, project, "src", "server.js")
	outside := save(t, other, "secret.js")
	t.Chdir(report) // what is relative to mcptea itself
	for from, to := range map[string]string{filepath.Join(project, "out.js"): outside, filepath.Join(project, "in.js"): inside, filepath.Join(top, "link"): project, filepath.Join(other, "in.js"): inside} {
		if err := os.Symlink(to, from); err != nil {
			t.Skip("no symbolic links: ", err)
		}
	}
	for _, tc := range []struct {
		name, dir, file string
		want            stderr.Source
	}{
		{"the folder of the recording", report, "+!touch x.js", stderr.Source{File: own, Line: 3}},
		{"another folder", project, "src/server.js", stderr.Source{File: inside, Line: 3, Ran: project}},
		{"a path of the folder", project, inside, stderr.Source{File: inside, Line: 3, Ran: project}},
		{"an odd way", project, "src/../src/server.js", stderr.Source{File: inside, Line: 3, Ran: project}},
		{"a folder by a link", filepath.Join(top, "link"), "src/server.js", stderr.Source{File: inside, Line: 3, Ran: project}},
		{"a path of a folder by a link", filepath.Join(top, "link"), inside, stderr.Source{File: inside, Line: 3, Ran: project}},
		{"a link in the folder", project, "in.js", stderr.Source{File: inside, Line: 3, Ran: project}},
		{"a link out of it", project, "out.js", stderr.Source{}},
		{"a path out of it", project, outside, stderr.Source{}},
		{"a path out of it that leads back by a link", project, filepath.Join(other, "in.js"), stderr.Source{}},
		{"a way out of it", project, "../project-other/secret.js", stderr.Source{}},
		{"a way out and to a name that begins the same", filepath.Join(top, "pro"), inside, stderr.Source{}},
		{"no folder", "", "+!touch x.js", stderr.Source{}},
		{"a relative folder", ".", "+!touch x.js", stderr.Source{}},
		{"a folder that is not there", filepath.Join(top, "gone"), "+!touch x.js", stderr.Source{}},
		{"a directory", project, "src", stderr.Source{}},
		{"a device", "/", os.DevNull, stderr.Source{}},
	} {
		if at := stderr.SourceOf(named(tc.file), stderr.Origin{Dir: tc.dir, Recording: recording}); at != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.name, at, tc.want)
		}
	}
	// The path of the recording may be relative itself.
	if at := stderr.SourceOf(named("+!touch x.js"), stderr.Origin{Dir: report, Recording: "bug.mcptea.jsonl"}); at != (stderr.Source{File: own, Line: 3}) {
		t.Errorf("a relative recording: %+v", at)
	}
}
