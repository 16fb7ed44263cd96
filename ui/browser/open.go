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

// startTimeout bounds the time that the program that opens pages takes to start one.
const startTimeout = 10 * time.Second

// Open opens a page. It takes http:// and https:// URLs alone: anything else
// would start other programs. Errors do not repeat the URL.
func Open(ctx context.Context, page string) error {
	u, err := url.Parse(page)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return errors.New("only pages on the web are opened")
	}
	argv := command(runtime.GOOS, u.String())
	ctx, stop := context.WithTimeout(ctx, startTimeout)
	defer stop()
	if err := exec.CommandContext(ctx, argv[0], argv[1:]...).Run(); err != nil {
		return fmt.Errorf("no browser could be opened (%s: %w); open the page by hand", argv[0], err)
	}
	return nil
}

// command is what opens a page. No shell is asked, which would obey what
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
