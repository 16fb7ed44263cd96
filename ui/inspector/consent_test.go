package inspector

import (
	"context"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
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

// An authorization that a call has asked for leads back to the call, whatever the user has decided, and says how it ended.
func TestConsent_LeadsBack(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		at := time.Unix(1, 0)
		for _, tc := range []struct {
			name  string
			end   oauth.Step
			says  string
			moves bool
		}{
			{"declined", oauth.Step{Name: oauth.StepConsent, State: oauth.Failed, Detail: "access_denied"}, "Not authorized: access_denied. Sending the request again asks again.", true},
			{"given", oauth.Step{Name: oauth.StepConsent, State: oauth.Done}, "Authorized.", true},
			{"given elsewhere", oauth.Step{Name: oauth.StepConsent, State: oauth.Done}, "Authorized.", false},
		} {
			d.press("2")
			at = at.Add(time.Hour)
			d.within(func() {
				m := d.model
				m.state.Authorization = []oauth.Step{{Name: oauth.StepConsent, State: oauth.Running, URL: "https://as.test/", Start: at}}
				m.announceConsent()
				if text := m.Flash.Text; !strings.Contains(text, "The server asks you to authorize: 1 shows it") {
					t.Errorf("%s: it says %q", tc.name, text)
				}
				if tc.moves {
					m.Run(tabServer)
				}
				m.announceConsent()
				if on := m.tabs[m.activeTab].ID == tabServer; on != tc.moves {
					t.Errorf("%s: before its end the user is elsewhere", tc.name)
				}
				m.state.Authorization = []oauth.Step{tc.end}
				m.announceConsent()
				if id := m.tabs[m.activeTab].ID; id == tabServer || m.Flash.Text != tc.says {
					t.Errorf("%s: the tab is %s, and it says %q", tc.name, id, m.Flash.Text)
				}
				m.ShowTab(tabServer)
				m.announceConsent()
				if m.tabs[m.activeTab].ID != tabServer {
					t.Errorf("%s: it leads back a second time", tc.name)
				}
			})
			d.press("<esc><esc>")
		}
	})
}
