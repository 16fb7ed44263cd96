package secret

import "testing"

// A secret behind a scheme is certain, also where short words are all that it has.
func TestCertain_Schemes(t *testing.T) {
	for text, want := range map[string]string{
		"Basic aB3/dE6/gH9/jK==": Named, "basic aB3/dE6/gH9/jK": Named, "sent BASIC aB3/dE6/gH9/jK": Named,
		"Bearer aB3/dE6/gH9/jK": Bearer, "sent bearer aB3/dE6/gH9/jK": Bearer,
		"Basi aB3/dE6/gH9/jK": "", "a b c d e": "", "ab cd": "", "basic ab": "", " ": "", "": "",
	} {
		if got := Certain(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// The name ahead of a secret may have dots, and be the first in the text or behind a quotation mark.
func TestCertain_Names(t *testing.T) {
	for text, want := range map[string]string{
		"api.key=hunter2abc": Named, `"password":"hunter2abc"`: Named, `{"password": "hunter2abc"}`: Named, "password=hunter2abc": Named,
		"api.keys=hunter2abc": "", `"pass":"hunter2abc"`: "", "=hunter2abc": "", ".=hunter2abc": "",
	} {
		if got := Certain(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// The name of a member after "key", as in the error data of validators, is not a secret.
func TestCertain_KeyOfMember(t *testing.T) {
	for text, want := range map[string]string{
		`{"envelope":{"key":"io.modelcontextprotocol/clientCapabilities","problem":"missing"}}`: "",
		`"key":"clientCapabilitiesOfTheHost"`:                                                   "",
		`"key":"params.arguments.temperatureUnit"`:                                              "",
		`"key": "oauth2/clientRegistrationEndpoint"`:                                            "",
		`key=tools.0.inputSchema.properties`:                                                    "",
		`"key":"hJ8kQz2LmX7pRt4vWb9c"`:                                                          Named,
		`"api_key":"correcthorsebattery"`:                                                       Named,
		`"key":"sk-proj-abcdefgh12345678"`:                                                      "API_KEY",
	} {
		if got := Certain(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
