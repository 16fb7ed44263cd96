package checks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"mcptea/cli/app"
	"mcptea/internal/system"
	"mcptea/lint/baseline"
)

// readBaseline reads the file of --baseline, or nil, and for one that
// --update-baseline has yet to write.
func readBaseline(ctx context.Context, path string, update bool) (*baseline.File, error) {
	if path == "" || update && system.IsStream(path) {
		return nil, nil
	}
	text, err := app.ReadText(ctx, path, baseline.MaxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist) && update:
		return nil, nil
	case err != nil:
		return nil, app.Usage("Write it with --update-baseline.", "--baseline: %v", err)
	}
	b, err := baseline.Parse(text)
	switch {
	case err == nil:
		return b, nil
	case update: // the content of the file is unknown, so it stays
		return nil, app.Usage("Name another file, or delete this one.", "--baseline %s: %v", path, err)
	}
	return nil, app.Usage("Delete it, and write a new one with --update-baseline.", "--baseline %s: %v", path, err)
}

// updateBaseline replaces the content of the file of --baseline with the result of change.
func (p *printer) updateBaseline(path string, change func(now *baseline.File) *baseline.File) error {
	err := baseline.Update(path, func(f *baseline.File) (*baseline.File, error) { return change(f), nil })
	if err != nil {
		return app.Failed("--baseline: %v", err)
	}
	fmt.Fprintf(p.Err, "%s wrote %s\n", p.Err.Faint("baseline"), p.Err.Safe(path))
	return nil
}

// acceptOffers adds the offers of the recordings to the file at path, prints the changes, and writes the file.
// It reports whether there were any offers.
func (p *printer) acceptOffers(path string, offers []*baseline.Offer) (bool, error) {
	if len(offers) == 0 {
		p.Note("--update-baseline: no complete list of tools, prompts or resources; nothing is written")
		return false, nil
	}
	return true, p.updateBaseline(path, func(file *baseline.File) *baseline.File {
		for _, now := range offers {
			p.printAccepted(file, now)
			file.Accept(now)
		}
		return file
	})
}

// printAccepted prints what differs between the file and an offer.
func (p *printer) printAccepted(file *baseline.File, now *baseline.Offer) {
	line := func(text string) { fmt.Fprintf(p.Err, "%s %s\n", p.Err.Faint("accepted"), p.Err.Safe(text)) }
	old, _ := file.Find(now)
	if news := now.News(old); news != "" {
		line(fmt.Sprintf("%s, protocol version %s: %s, for the first time", now, now.Revision, news))
	}
	if old == nil {
		return
	}
	for _, c := range old.Changes(now) {
		line(fmt.Sprintf("%s %s: %s", c.Place(), c.Kind, c.Reason))
	}
}
