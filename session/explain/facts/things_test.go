package facts_test

import (
	"net/http"
	"strings"
	"testing"

	"mcptea/client/transport"
	"mcptea/session/explain/facts"
)

const teaTool = `{"name":"brew","inputSchema":{"type":"object","properties":{"leaf":{"type":"string"},"steep_time":{"type":"integer"},"text":{"type":"string"},"path":{"type":"string"}}}}`

func called(arguments string) facts.Attempt {
	return facts.Attempt{Request: facts.Request{Method: "tools/call", Params: []byte(`{"name":"brew","arguments":` + arguments + `}`), Tool: []byte(teaTool), IsTool: true}}
}

func over(header http.Header) facts.Attempt {
	return facts.Attempt{Host: "tea.example:8080", Own: header, Failed: transport.Exchange{ID: 1, Method: http.MethodPost, URL: "http://tea.example:8080/pot/mcp?cup=blue", RequestHeader: header}}
}

// tokenOfTea has the claims {"iss":"https://id.tea","aud":"pot"}.
const tokenOfTea = "Bearer e30.eyJpc3MiOiJodHRwczovL2lkLnRlYSIsImF1ZCI6InBvdCJ9.c2ln"

func TestThings_AreComparedWithWhatWasSent(t *testing.T) {
	command := facts.Attempt{
		Argv: []string{"tea-server", "--pot", "blue", "/srv/leaves", "--api-key", "s3cret"},
		Set:  []string{"TEA_URL=http://db.tea:5432/x", "TEA_TOKEN=s3cret"}, Inherited: []string{"TEA_HOME=/home/tea", "NO_PROXY=localhost,cup.tea:80"}, Entry: "~/.tea.json:4",
	}
	recorded := facts.Attempt{Argv: []string{"tea-server"}, EnvUnknown: true}
	container := facts.Attempt{Argv: []string{"docker", "run", "-i", "-e", "TEA_URL=http://x", "tea"}, Container: "docker", Set: []string{"TEA_PORT=1"}}
	asked := facts.Attempt{Asked: []facts.Known{{Kind: facts.ThingParameter, Name: "redirect_uri", Value: "http://127.0.0.1:1/callback", Place: "the request"}, {Kind: facts.ThingParameter, Name: "client_id", Absent: true}}}
	for _, tt := range []struct {
		name    string
		attempt facts.Attempt
		message string
		want    string // KIND NAME STATE VALUE PLACE of the first thing, or ""
	}{
		{"a value", called(`{"steep_time":-1}`), "steep_time must be positive", "argument steep_time given -1 the argument steep_time"},
		{"a missing one", called(`{}`), "leaf is required", "argument leaf lacking"},
		{"a word of the language", called(`{"text":"x"}`), "no text came from the kettle", ""},
		{"a marked word", called(`{"text":"x"}`), "invalid value for 'text'", "argument text given x the argument text"},
		{"another spelling", called(`{"steep_time":3}`), "steepTime is required", "argument steepTime near steep_time the argument steep_time"},
		{"the value of one", called(`{"leaf":"assam-12"}`), "no such leaf: assam-12", "name assam-12 value  the argument leaf"},
		{"a value without its name", called(`{"leaf":"assam-12"}`), "could not find assam-12", "name assam-12 value  the argument leaf"},
		{"a place in JSON", called(`{}`), `[{"code":"invalid_type","path":["cup"],"message":"Required"}]`, "argument cup elsewhere"},
		{"a key of a schema", called(`{}`), "On schema['properties']['leaf']['required']: False", ""},
		{"a file", called(`{"path":"/etc/tea"}`), "ENOENT: open '/etc/tea'", "file /etc/tea value  the argument path"},

		{"a variable that is set", command, "TEA_URL is not a URL", "variable TEA_URL given http://db.tea:5432/x ~/.tea.json:4"},
		{"a secret one", command, "TEA_TOKEN was refused", "variable TEA_TOKEN given  ~/.tea.json:4"},
		{"an inherited one", command, "TEA_HOME does not exist", "variable TEA_HOME inherited"},
		{"an unset one", command, "TEA_POT must be set", "variable TEA_POT lacking"},
		{"a constant of an error", command, "failed with ERR_TEA_COLD", ""},
		{"other constants", command, "status must be one of IN_PROGRESS, ON_HOLD", ""},
		{"an unset one in other words", command, "missing TEA_POT", "variable TEA_POT lacking"},
		{"one of a recording", recorded, "TEA_POT must be set", ""},
		{"a secret option", command, "the value of --api-key is wrong", "option --api-key given"},
		{"a host in a list of another variable", command, "connect ECONNREFUSED cup.tea:80", "address cup.tea:80 elsewhere"},
		{"an address in a variable", command, "connect ECONNREFUSED db.tea:5432", "address db.tea:5432 value  the variable TEA_URL"},
		{"a file of the command", command, "cannot read /srv/leaves", "file /srv/leaves value  argument 3 of the command"},
		{"an option with a value", command, "bad value for --pot", "option --pot given blue"},
		{"an option that is due", command, "use --cup to name a cup", "option --cup lacking"},
		{"a variable of the container", container, "TEA_URL is wrong", "variable TEA_URL given http://x -e in the command"},
		{"not in the container", container, "TEA_PORT must be set", "variable TEA_PORT lacking"},

		{"a header that was given", over(http.Header{"X-Cup": {"blue"}}), "X-Cup is invalid", "header X-Cup given blue -H"},
		{"a header that is due", over(nil), "missing header X-Cup", "header X-Cup lacking"},
		{"a claim", over(http.Header{"Authorization": {tokenOfTea}}), "the audience is wrong", "claim aud given pot the token"},
		{"a slash", over(http.Header{"Authorization": {tokenOfTea}}), "expected https://id.tea/", "address https://id.tea/ near https://id.tea the claim iss of the token"},
		{"a part of the URL", over(nil), "Server 'pot' is not registered", "name pot value  the path of the URL"},
		{"its query", over(nil), "unknown cup: blue", "argument cup given blue the query of the URL"},
		{"a page of documentation", over(nil), "see https://docs.tea.example/errors", ""},

		{"a parameter that was not sent", asked, "client_id and redirect_uri are required", "parameter client_id lacking"},
		{"one that was", asked, "Invalid redirect URI", "parameter redirect_uri given http://127.0.0.1:1/callback the request"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if all := facts.Things(tt.attempt, tt.message); len(all) > 0 {
				first := all[0]
				got = strings.TrimSpace(strings.Join([]string{string(first.Kind), first.Name, string(first.State), first.Value, first.Place}, " "))
			}
			if got != tt.want {
				t.Errorf("%q: %q, want %q", tt.message, got, tt.want)
			}
		})
	}
}

func TestThings_NoSecret(t *testing.T) {
	a := over(http.Header{"Authorization": {tokenOfTea}, "X-Api-Key": {"k-123456"}})
	for _, thing := range facts.Things(a, "the X-Api-Key header and the Authorization header are wrong, audience pot") {
		if strings.Contains(thing.Value, "k-123456") || strings.Contains(thing.Value, "c2ln") {
			t.Errorf("%+v shows a secret", thing)
		}
	}
}

func TestSpeaker(t *testing.T) {
	tool := called(`{}`)
	for _, tt := range []struct {
		name    string
		attempt facts.Attempt
		refusal facts.Refusal
		want    facts.Party
		by      string
	}{
		{"words of a tool", tool, facts.Refusal{Body: []byte("The kettle is cold.")}, facts.PartyTool, "brew"},
		{"an exception", tool, facts.Refusal{Body: []byte("TypeError: x is null")}, facts.PartyCode, "TypeError"},
		{"a service", tool, facts.Refusal{Body: []byte("Kettle API error: 500")}, facts.PartyService, "Kettle"},
		{"words before a service", tool, facts.Refusal{Body: []byte("Call to Kettle API returned 404")}, facts.PartyService, "Kettle"},
		{"a service without a name", tool, facts.Refusal{Body: []byte("response from the API returned 500")}, facts.PartyService, ""},
		{"the host of a URL", tool, facts.Refusal{Body: []byte("Client error '404 Not Found' for url 'https://api.tea.example/x'")}, facts.PartyService, "api.tea.example"},
		{"a library", tool, facts.Refusal{Body: []byte("Input validation error: 'leaf' is a required property")}, facts.PartyLibrary, ""},
		{"a launcher", facts.Attempt{Argv: []string{"/usr/bin/npx", "-y", "tea"}}, facts.Refusal{Body: []byte("npm error code E404")}, facts.PartyLauncher, "npx"},
		{"a program", facts.Attempt{Argv: []string{"tea"}}, facts.Refusal{Body: []byte("Error: no leaf")}, facts.PartyProgram, ""},
		{"a page of nginx", over(nil), facts.Refusal{Status: 502, Header: http.Header{"Server": {"nginx"}}, Body: []byte("<center>nginx</center>")}, facts.PartyProxy, "nginx"},
		{"a server behind nginx", over(nil), facts.Refusal{Status: 400, Header: http.Header{"Server": {"nginx"}}, Body: []byte(`{"error":"no leaf"}`)}, facts.PartyServer, ""},
		{"a library over HTTP", over(nil), facts.Refusal{Status: 400, Body: []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`)}, facts.PartyLibrary, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.attempt.Request.Failure = string(tt.refusal.Body)
			if len(tt.attempt.Argv) > 0 {
				tt.attempt.Request = facts.Request{}
			}
			if got := facts.Of(tt.attempt, tt.refusal).Speaker; got != (facts.Speaker{Party: tt.want, By: tt.by}) {
				t.Errorf("%+v, want %s %q", got, tt.want, tt.by)
			}
		})
	}
}
