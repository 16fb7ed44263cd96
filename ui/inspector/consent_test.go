package inspector

import (
	"context"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/demo"
	"mcptea/ui/keys"
)

// A page that an authorization server names is opened after the user has seen all of its
// address.
func TestOpenPage_AddressIsShownInFull(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	page := "https://as.example/authorize?scope=" + strings.Repeat("read%20", 1200) + "&redirect=https://evil.example/END"
	drive(t, 100, 30, demo.Options{}, func(d *driver) {
		d.within(func() { d.model.askPage(page, "the authorization server") })
		d.sees("Open this page?", "the authorization server", "https://as.example/authorize", "more below")
		d.press("y")
		d.sees("Open this page?")
		d.press("<end>y")
		d.sees("END", "y open", "Scroll up to line") // it was skipped
		d.press("<home>" + strings.Repeat(" ", 40) + "y")
		d.lacks("Open this page?")
		d.sees("no browser could be opened")
		d.within(func() { d.model.OpenPage("https://spec.example/") }) // mcptea's own
		d.lacks("Open this page?")
	})
}

// The keys of a question are those of the user.
func TestConsent_KeysOfTheUser(t *testing.T) {
	drive(t, 100, 30, demo.Options{}, func(d *driver) {
		own, err := keys.NewMap(map[string][]string{"question.agree": {"f5"}}, allSections(t))
		if err != nil {
			t.Fatal(err)
		}
		d.within(func() { d.model.Program.Keys = *own })
		decided := asked(context.Background(), d, "drop", jsonrpc.Quote("x"))
		d.press("y")
		d.sees("Allow this call?", "f5 allow once")
		d.press("<f5>")
		if err := <-decided; err != nil {
			t.Error(err)
		}
	})
}
