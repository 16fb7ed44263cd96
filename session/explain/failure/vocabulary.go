package failure

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/session/explain/facts"
)

// everywhere holds the names of untyped facts of [Facts.seen].
var everywhere = strings.Fields("is connected container era_probed https launched_by lenient loopback node_20 offered own_host pinned plain_http received runs_container says_started says_stdio session stdio stream_opened transport wrote_own")

// ofPlace maps each [row.Where] to the names of the facts that only this place has. Other places have no facts
// of their own.
var ofPlace = map[string][]string{
	"start":          strings.Fields("crlf cwd interpreter near path path_unset program setup whole_line windows_path words"),
	"stderr":         strings.Fields("code"),
	"moment":         strings.Fields("initialized pending"),
	"closed":         strings.Fields("http"),
	"experiment":     strings.Fields("shown"),
	"exit":           strings.Fields("code crash_caller crash_package help idle reason_on_stdout reported script sent signal since syntax words"),
	"signal":         strings.Fields("signal"),
	"exit-detail":    strings.Fields("code help idle last reported signal stderr truncated"),
	"stdout":         strings.Fields("line stray utf16 wrote"),
	"wrong-id":       strings.Fields("canned ended null other_type unread"),
	"version":        strings.Fields("stateless unreleased"),
	"invalid":        strings.Fields("fault incomplete torn"),
	"error-response": strings.Fields("code meanings method no_code older private usable version_refused wrapped"),
	"timeout":        strings.Fields("answered canned changed connecting late launcher messages_on_stderr method mixed noted odd_type other_stdin other_type read reframed reported_since shared silent stopped stray stream success unmatched unread utf16 wrote"),
	"message":        strings.Fields("status"),
	"stopped":        strings.Fields("exited"),
	"stdin":          strings.Fields("stopped"),
	"status":         strings.Fields("about_login challenge class empty endpoint endpoint_twice expired initialized loop method older other_host other_name own_message path_sse prefix retry_after rpc scheme slash spoken status to to_itself to_login to_plain to_same to_tls usable verb version_refused with_slash"),
	"content":        strings.Fields("html stream"),
	"lost":           strings.Fields("canned elsewhere encoding event_in_data json other_type packed unmatched utf16"),
	"network":        strings.Fields("alert cacert client early elsewhere encoding incomplete issuer length names node_ca plain reason said self_signed server_name speaks_http spoken streamed until untrusted"),
	"token":          strings.Fields("code endpoint_of pkce refresh refresh_error resource resource_other scheme scheme_lost scopes_wanted status step_up store_error stored token"),
	"stored-token":   strings.Fields("advice"),
	"task":           strings.Fields("code error"),
	"named":          strings.Fields("assigned thing thing_kind thing_names thing_place thing_relative thing_state thing_value thing_verb things"),
	"discover":       strings.Fields("both status unknown"),
	"error":          strings.Fields("bind_address json_endpoint requested"),
}

// checkNames panics if a condition of a row names a fact that its place does not have.
func (r *row) checkNames() {
	for _, conditions := range []map[string]string{r.When, r.Unless} {
		for name := range conditions {
			if !slices.Contains(everywhere, name) && !slices.Contains(ofPlace[r.Where], name) && !slices.ContainsFunc(facts.All, func(f facts.Fact) bool { return f.Name == name }) {
				panic(fmt.Sprintf("failures.jsonl: %s: no fact of %q is called %q", r.ID, r.Where, name))
			}
		}
	}
}
