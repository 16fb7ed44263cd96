package apps

import (
	"context"
	"errors"
	"fmt"

	"mcptea/client"
	"mcptea/offer"
	"mcptea/offer/declared"
	"mcptea/session/intercept"
	"mcptea/session/session"
)

// find returns the entry of a tool, once tools/list is there.
func find(ctx context.Context, s *session.Session, tool string) (offer.Item, error) {
	s.Want(client.Tools)
	var item offer.Item
	var list offer.List
	found := false
	err := s.Until(ctx, func() bool {
		list = s.State().Lists[client.Tools.Name]
		item, found = list.Find(tool) // the previous list counts too: it is shown until the new one is complete
		return found || !list.Loading
	})
	if err == nil && !found {
		err = errors.Join(fmt.Errorf("the server has no tool %q", tool), list.Err)
	}
	return item, err
}

// read reads the document of an app.
func read(ctx context.Context, s *session.Session, uri string) (declared.Document, error) {
	result, err := s.Start("resources/read", client.Params(map[string]string{"uri": uri})).Wait(ctx)
	if err != nil {
		return declared.Document{}, fmt.Errorf("cannot read the document of the app: resources/read %s: %w", uri, err)
	}
	entry, _ := s.State().Lists[client.Resources.Name].Find(uri)
	doc, err := declared.OfDocument(uri, entry.Raw, result)
	if err == nil && len(doc.HTML) > maxDocument {
		err = fmt.Errorf("the document of the app has %d bytes, and at most %d are shown", len(doc.HTML), maxDocument)
	}
	return doc, err
}

// newLane returns the lane of one direction; nil in a session without breakpoints.
func (a *App) newLane() *intercept.Lane {
	if gate := a.s.Intercept(); gate != nil {
		return gate.NewLane(fmt.Sprint(intercept.AppSession, a.record.Conn()))
	}
	return nil
}
