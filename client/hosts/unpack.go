package hosts

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcptea/client/hosts/syntax"
	"mcptea/internal/system"
	"mcptea/internal/words/phrase"
)

// unpackLimits bounds the files that are unpacked from a bundle. The archive of a large bundle, a browser with
// its driver, has 400 MB.
type unpackLimits struct {
	files int
	bytes int64
}

var bundleLimits = unpackLimits{files: 50_000, bytes: 1 << 30}

// unpackedFor is the time for which the folder of an unused bundle is kept.
const unpackedFor = 30 * 24 * time.Hour

// IsBundle reports whether a path is a bundle: a file with a bundle's extension, or a folder with a bundle's
// manifest.
func IsBundle(path string) bool {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return false
	case info.Mode().IsRegular():
		return isBundleFile(path)
	case !info.IsDir():
		return false
	}
	m, err := LocalMachine(path)
	if err != nil {
		return false
	}
	text, _, err := m.Read(filepath.Join(path, BundleManifest), maxFileBytes)
	if err != nil {
		return false
	}
	tree, err := syntax.Parse(syntax.JSON, text)
	return err == nil && isBundle(tree.Root)
}

func isBundleFile(path string) bool {
	return slices.Contains([]string{".mcpb", ".dxt"}, strings.ToLower(filepath.Ext(path)))
}

// OpenBundle returns the path of the manifest of a bundle. A file is unpacked to a folder in dir, once for each content.
// Folders of bundles that were not opened for a long time are removed.
func OpenBundle(dir, path string) (manifest string, err error) {
	if !isBundleFile(path) {
		return filepath.Join(path, BundleManifest), nil
	}
	f, _, err := system.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	size, err := io.Copy(sum, io.LimitReader(f, bundleLimits.bytes+1))
	switch {
	case err != nil:
		return "", err
	case size > bundleLimits.bytes:
		return "", errTooLarge(bundleLimits)
	}
	removeUnpacked(dir, time.Now())
	to := filepath.Join(dir, hex.EncodeToString(sum.Sum(nil))[:32])
	manifest = filepath.Join(to, BundleManifest)
	if _, err := os.Stat(manifest); err == nil {
		now := time.Now()
		return manifest, os.Chtimes(to, now, now)
	}
	z, err := zip.NewReader(f, size)
	if err != nil {
		return "", fmt.Errorf("it is not a ZIP archive: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	temporary, err := os.MkdirTemp(dir, temporaryPrefix)
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	if err := unpack(z, temporary, bundleLimits); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(temporary, BundleManifest)); err != nil {
		return "", errors.New("it has no " + BundleManifest)
	}
	if err := os.Rename(temporary, to); err != nil {
		if _, other := os.Stat(manifest); other != nil { // no other process has unpacked it
			return "", err
		}
	}
	return manifest, nil
}

// temporaryPrefix begins the name of a folder that is being unpacked.
const temporaryPrefix = "new-"

// removeUnpacked removes folders that were not used for a long time, and the remains of interrupted processes.
func removeUnpacked(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		kept := unpackedFor
		if strings.HasPrefix(e.Name(), temporaryPrefix) {
			kept = time.Hour
		}
		if info, err := e.Info(); err == nil && e.IsDir() && now.Sub(info.ModTime()) > kept {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

func errTooLarge(limits unpackLimits) error {
	return fmt.Errorf("it has more than %d bytes", limits.bytes)
}

// unpack writes the files of an archive to a directory. Links, and names outside of the directory, are refused.
func unpack(z *zip.Reader, dir string, limits unpackLimits) error {
	if len(z.File) > limits.files {
		return fmt.Errorf("it has %d files, more than %d", len(z.File), limits.files)
	}
	if err := checkNames(z, limits); err != nil {
		return err
	}
	left := limits.bytes
	for _, f := range z.File {
		name := filepath.FromSlash(strings.TrimSuffix(f.Name, "/"))
		to := filepath.Join(dir, name)
		switch mode := f.Mode(); {
		case mode.IsDir():
			if err := os.MkdirAll(to, 0o700); err != nil {
				return err
			}
			continue
		case !mode.IsRegular():
			return fmt.Errorf("%q is not a regular file", f.Name)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		switch err := unpackFile(f, to, &left); {
		case left < 0:
			return errTooLarge(limits)
		case errors.Is(err, fs.ErrExist):
			return fmt.Errorf("the name %q is in it twice", f.Name)
		case err != nil:
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// maxDepth bounds the nesting of directories in a bundle: directories of node_modules are the deepest.
const maxDepth = 64

// checkNames refuses names that are outside of the bundle, and more directories than files are allowed, before anything is
// written.
func checkNames(z *zip.Reader, limits unpackLimits) error {
	directories := map[string]bool{}
	for _, f := range z.File {
		name := strings.TrimSuffix(f.Name, "/")
		if !filepath.IsLocal(filepath.FromSlash(name)) || strings.Contains(f.Name, `\`) {
			return fmt.Errorf("the name %q is outside of the bundle", f.Name)
		}
		if strings.Count(f.Name, "/") > maxDepth {
			return fmt.Errorf("the name %q has more than %d directories", phrase.Clip(f.Name, 80), maxDepth)
		}
		for at := name; ; {
			i := strings.LastIndexByte(at, '/')
			if i < 0 || directories[at[:i]] {
				break
			}
			dir := at[:i]
			directories[dir], at = true, dir
		}
		if len(directories) > limits.files {
			return fmt.Errorf("it has more than %d directories", limits.files)
		}
	}
	return nil
}

// unpackFile writes a file of an archive, and subtracts its size from left.
func unpackFile(f *zip.File, to string, left *int64) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600|f.Mode().Perm()&0o100)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, *left+1))
	*left -= n
	return errors.Join(err, out.Close())
}
