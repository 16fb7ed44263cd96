package desktop

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"mcptea/internal/system/argument"
)

// startTimeout is the time within which a program that opens pages may fail. A program that runs longer is the
// browser itself.
const startTimeout = 10 * time.Second

// Open opens a page, through a file that redirects to it. It accepts only http:// and https:// URLs without a
// user name: anything else could start other programs, or show another host than it opens. A started browser
// outlives the context, which only ends the wait for it. Errors do not repeat the URL. The file is removed
// after a minute, and by [CloseBrowser].
func Open(ctx context.Context, page string) error {
	_, err := OpenOnce(ctx, page)
	return err
}

// OpenOnce is like [Open], for a page whose loading the caller notices: the caller then calls loaded, which
// removes the file. loaded is not nil, and may be called more than once.
func OpenOnce(ctx context.Context, page string) (loaded func(), err error) {
	u, err := url.Parse(page)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return func() {}, errors.New("only pages on the web are opened")
	}
	path, err := redirect(u)
	if err == nil {
		err = openPage(ctx, path)
	}
	if err != nil {
		forget(path)
		return func() {}, fmt.Errorf("no browser could be opened (%w); open the page by hand", err)
	}
	return func() { forget(path) }, nil
}

// openPage opens a file that redirects: with the first command of the variable BROWSER that can be run,
// if the user has set it, as other programs do.
func openPage(ctx context.Context, path string) error {
	file, err := argument.File(path)
	if err != nil {
		return err
	}
	var failed []error
	for _, command := range filepath.SplitList(os.Getenv("BROWSER")) {
		if strings.TrimSpace(command) == "" {
			continue
		}
		err := start(ctx, ofUser(context.WithoutCancel(ctx), command, file))
		if err == nil {
			return nil
		}
		failed = append(failed, fmt.Errorf("$BROWSER: %w", err))
	}
	if failed != nil {
		return errors.Join(failed...)
	}
	return OpenFile(ctx, path)
}

// ofUser returns a command of the variable BROWSER: a program and its options. %s stands for the page; without
// %s, the page is the last argument.
func ofUser(ctx context.Context, command string, page argument.Argument) *exec.Cmd {
	words, path, named := strings.Fields(command), argument.Words(page)[0], false
	for i, word := range words[1:] {
		if strings.Contains(word, "%s") {
			words[i+1], named = strings.ReplaceAll(word, "%s", path), true
		}
	}
	if !named {
		words = append(words, path)
	}
	return exec.CommandContext(ctx, words[0], words[1:]...)
}

// OpenFile opens a file with the program that the system has for its type. That
// program outlives the context.
func OpenFile(ctx context.Context, path string) error {
	file, err := argument.File(path)
	if err != nil {
		return err
	}
	return start(ctx, command(context.WithoutCancel(ctx), runtime.GOOS, file))
}

// start starts a program and waits for its failure.
func start(ctx context.Context, cmd *exec.Cmd) error {
	err := cmd.Start()
	if err == nil {
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err = <-ended:
		case <-time.After(startTimeout):
		case <-ctx.Done():
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", cmd.Args[0], err)
	}
	return nil
}

// command returns the command that opens a file. It uses no shell, which could interpret the file's name.
func command(ctx context.Context, goos string, file argument.Argument) *exec.Cmd {
	switch goos {
	case "darwin":
		return argument.Command(ctx, "open", file)
	case "windows":
		return argument.Command(ctx, "rundll32", argument.Own("url.dll,FileProtocolHandler"), file)
	}
	return argument.Command(ctx, "xdg-open", file)
}
