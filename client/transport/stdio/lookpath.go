package stdio

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// lookPath finds the executable as the child would: by the PATH of its
// environment, and relative to its working directory when the command has a
// slash in it.
func lookPath(command string, env []string, dir string) (string, error) {
	if strings.ContainsRune(command, '/') || runtime.GOOS == "windows" && strings.ContainsRune(command, '\\') {
		if !filepath.IsAbs(command) && dir != "" {
			command = filepath.Join(dir, command)
		}
		path, err := exec.LookPath(command)
		if err != nil {
			return "", unwrapExec(err)
		}
		return filepath.Abs(path)
	}
	for _, folder := range filepath.SplitList(variable(env, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue // a relative PATH entry would run what happens to lie here
		}
		if path, err := exec.LookPath(filepath.Join(folder, command)); err == nil {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

// unwrapExec takes off the wrapper of os/exec, which repeats the name.
func unwrapExec(err error) error {
	if e, ok := err.(*exec.Error); ok {
		return e.Err
	}
	return err
}

func variable(env []string, name string) string {
	value := ""
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		if k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name) {
			value = v
		}
	}
	return value
}
