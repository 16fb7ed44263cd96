package failure

import (
	"regexp"
	"strings"
	"testing"

	"mcptea/internal/catalog"
	"mcptea/session/explain/facts"
)

// ofClient matches advice about what the client sends.
var ofClient = map[addressee]*regexp.Regexp{
	toSession:     regexp.MustCompile(`^Reconnect|^Connect again; |sticky sessions`),
	toCredentials: regexp.MustCompile(`^(?:Send|Get) (?:a|another|the|user|credentials)\b.*(?:MCPTEA_TOKEN|-H|token)|renew the token`),
}

// bothSides holds rows whose advice is about the client and about what is behind the server.
var bothSides = map[string]bool{"tool-token-passed": true, "tool-session-behind": true}

// Advice about what the client sends is not given for a message of a service behind the server.
func TestRows_AdviceOfTheClientDeclaresIt(t *testing.T) {
	places := map[string]bool{"message": true, "tool-error": true, "error-response": true, "status": true}
	for _, r := range catalog.Read[row](failuresText) {
		for to, words := range ofClient {
			if places[r.Where] && words.MatchString(string(r.Try)) && r.To != to && !bothSides[r.ID] {
				t.Errorf("%s has advice about the %s, and does not declare it: %s", r.ID, to, r.Try)
			}
		}
	}
}

func TestAddressee_ServiceBehind(t *testing.T) {
	s := situation{"status": 401, "scheme": "", "token_sent": true}
	if why, _ := find("status", s); !strings.Contains(why.Remedy.Text, "token") {
		t.Fatalf("without a party, the advice is %q", why.Remedy.Text)
	}
	s["party"] = string(facts.PartyService)
	if why, _ := find("status", s); strings.Contains(why.Remedy.Text, "MCPTEA_TOKEN") {
		t.Errorf("a service behind the server has refused credentials, and the advice is %q", why.Remedy.Text)
	}
}
