package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"runtime"
	"time"
)

// startTimeout is how long a program that opens pages has for failing. One that runs
// longer is the browser itself.
const startTimeout = 10 * time.Second

// Open opens a page. It takes http:// and https:// URLs alone: anything else
// would start other programs. A browser that was started outlives the context, which
// only ends the wait for it. Errors do not repeat the URL.
func Open(ctx context.Context, page string) error {
	u, err := url.Parse(page)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return errors.New("only pages on the web are opened")
	}
	if err := start(ctx, command(runtime.GOOS, u.String())); err != nil {
		return fmt.Errorf("no browser could be opened (%w); open the page by hand", err)
	}
	return nil
}

// OpenFile opens a file with the program that the system has for its type. That
// program outlives the context.
func OpenFile(ctx context.Context, path string) error {
	return start(ctx, command(runtime.GOOS, path))
}

// start starts a program and waits for its failure.
func start(ctx context.Context, argv []string) error {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), argv[0], argv[1:]...)
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
		return fmt.Errorf("%s: %w", argv[0], err)
	}
	return nil
}

// command is what opens a page or a file. No shell is asked, which would obey what
// is in the URL.
func command(goos, page string) []string {
	switch goos {
	case "darwin":
		return []string{"open", page}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", page}
	}
	return []string{"xdg-open", page}
}
