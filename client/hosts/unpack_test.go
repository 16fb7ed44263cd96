package hosts

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// archive is a ZIP archive with files by name. A name that ends with @ is a link.
func archive(t *testing.T, files ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		name, isLink := strings.CutSuffix(f[0], "@")
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		h.SetMode(0o755)
		if isLink {
			h.SetMode(fs.ModeSymlink | 0o777)
		}
		out, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestOpenBundle_HostileArchives(t *testing.T) {
	manifest := [2]string{"manifest.json", "{}"}
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"parent":     {archive(t, manifest, [2]string{"../evil", "x"}), `the name "../evil" is outside of the bundle`},
		"deep":       {archive(t, manifest, [2]string{"a/../../evil", "x"}), "is outside of the bundle"},
		"absolute":   {archive(t, manifest, [2]string{"/evil", "x"}), "is outside of the bundle"},
		"backslash":  {archive(t, manifest, [2]string{`..\evil`, "x"}), "is outside of the bundle"},
		"link":       {archive(t, manifest, [2]string{"link@", "/etc/passwd"}), `"link" is not a regular file`},
		"twice":      {archive(t, manifest, [2]string{"a", "1"}, [2]string{"a", "2"}), `the name "a" is in it twice`},
		"nothing":    {archive(t, [2]string{"a", "1"}), "it has no manifest.json"},
		"no archive": {[]byte("text"), "it is not a ZIP archive"},
	} {
		outer := t.TempDir()
		dir, path := filepath.Join(outer, "bundles"), filepath.Join(outer, "x.mcpb")
		if err := os.WriteFile(path, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenBundle(dir, path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: %d files are left", name, len(left))
		}
		if all, _ := os.ReadDir(outer); len(all) > 2 {
			t.Errorf("%s: a file is outside of the folder: %v", name, all)
		}
	}
}

func TestUnpack_Limits(t *testing.T) {
	content := archive(t, [2]string{"a", strings.Repeat("x", 600)}, [2]string{"b", strings.Repeat("x", 400)})
	for want, limits := range map[string]unpackLimits{
		"":                             {2, 1000},
		"it has more than 999 bytes":   {2, 999},
		"it has more than 100 bytes":   {2, 100},
		"it has 2 files, more than 1":  {1, 1000},
		"it has more than 0 bytes":     {2, 0},
		"it has 2 files, more than -1": {-1, 1000},
	} {
		z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := unpack(z, t.TempDir(), limits); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%+v: %q, want %q", limits, got, want)
		}
	}
}

// Directories count like files, and a name has a bounded number of them: nothing is written for one that has more.
func TestUnpack_Directories(t *testing.T) {
	for want, files := range map[string][][2]string{
		"it has more than 3 directories": {{"a/b/x", "1"}, {"c/d/x", "1"}},
		"has more than 64 directories":   {{strings.Repeat("a/", 65) + "x", "1"}},
		"":                               {{"a/b/x", "1"}, {"a/b/y", "1"}},
		"more than 64 directories":       {{strings.Repeat("a/", 65), ""}},
	} {
		content, dir := archive(t, files...), t.TempDir()
		z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		err = unpack(z, dir, unpackLimits{3, 1000})
		if (err == nil) != (want == "") || err != nil && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v: %v, want %q", files, err, want)
		}
		if left, _ := os.ReadDir(dir); want != "" && len(left) > 0 {
			t.Errorf("%s: something was written", want)
		}
	}
}

// A bundle is unpacked once for each content, and removed when it was not opened for a long time.
func TestOpenBundle_UnpackedOnce(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "bundles")
	open := func(name string, content []byte) string {
		path := filepath.Join(outer, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		manifest, err := OpenBundle(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		return manifest
	}
	content := archive(t, [2]string{"manifest.json", "{}"}, [2]string{"run", "x"})
	first := open("a.mcpb", content)
	if info, err := os.Stat(filepath.Join(filepath.Dir(first), "run")); err != nil || info.Mode().Perm()&0o177 != 0o100 {
		t.Errorf("a program: %v %v", info, err)
	}
	if second := open("b.DXT", content); second != first {
		t.Errorf("the same content is at %s and %s", first, second)
	}
	old := time.Now().Add(-unpackedFor - time.Hour)
	if err := os.Chtimes(filepath.Dir(first), old, old); err != nil {
		t.Fatal(err)
	}
	if again := open("a.mcpb", content); again != first {
		t.Error(again)
	}
	if err := os.Chtimes(filepath.Dir(first), old, old); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, temporaryPrefix+"1"), 0o700); err != nil {
		t.Fatal(err)
	}
	removeUnpacked(dir, time.Now().Add(2*time.Hour))
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%d folders are left", len(left))
	}
}
