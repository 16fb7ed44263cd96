package negotiate

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// ErrNoVersions reports a server/discover result without supportedVersions.
var ErrNoVersions = errors.New(`the server/discover result has no "supportedVersions"`)

// A versionsTypeError reports that supportedVersions is not an array; its text is the JSON type. It matches
// [ErrNoVersions].
type versionsTypeError string

func (e versionsTypeError) Error() string {
	return fmt.Sprintf(`"supportedVersions" of the server/discover result is of type %s, not array`, string(e))
}

func (e versionsTypeError) Unwrap() error { return ErrNoVersions }

// RevisionError reports that client and server have no protocol version in
// common.
type RevisionError struct {
	Offered  revision.Revision
	Selected string   // version that the server selected in its initialize result, or "" after an error response
	Listed   []string // versions that the server lists
	Invalid  string   // JSON type of the first element of supportedVersions that is not a string, or ""
}

// Error names the versions of both sides, and the type of an element that is not a version.
func (e *RevisionError) Error() string {
	if e.Invalid == "" {
		return e.mismatch()
	}
	return fmt.Sprintf(`%s: "supportedVersions" contains an element of type %s, not string`, e.mismatch(), e.Invalid)
}

// mismatch returns the versions of both sides in a sentence.
func (e *RevisionError) mismatch() string {
	switch {
	case e.Selected == string(revision.NewestStateless) || e.Selected == "" && namesStateless(e.Listed):
		return fmt.Sprintf("the server supports %s, which has no initialize handshake (offered: %s)", revision.NewestStateless, e.Offered)
	case e.Offered.IsStateless():
		return fmt.Sprintf("the server supports %s, not %s, the version of the request", listing(e.Listed), e.Offered)
	case e.Selected != "":
		return fmt.Sprintf("the server selected protocol version %q, which mcptea does not support (offered: %s)", e.Selected, e.Offered)
	}
	return fmt.Sprintf("the server supports %s, of which mcptea supports none (offered: %s)", listing(e.Listed), e.Offered)
}

// listing joins version strings, and quotes strings that are not dates.
func listing(versions []string) string {
	if len(versions) == 0 {
		return "no version"
	}
	quoted := make([]string, len(versions))
	for i, v := range versions {
		quoted[i] = v
		if _, err := time.Parse(time.DateOnly, v); err != nil {
			quoted[i] = strconv.Quote(v)
		}
	}
	return strings.Join(quoted, ", ")
}

// ResultError reports an initialize result that is not an object with
// protocolVersion.
type ResultError struct {
	Result      []byte // start of the result
	VersionType string // JSON type of protocolVersion, or ""
}

// Error names the part that is missing or of a wrong type.
func (e *ResultError) Error() string {
	if !bytes.HasPrefix(bytes.TrimSpace(e.Result), []byte("{")) {
		return "the initialize result is not an object"
	}
	switch e.VersionType {
	case "":
	case "string":
		return `"protocolVersion" of the initialize result is empty`
	default:
		return fmt.Sprintf(`"protocolVersion" of the initialize result is of type %s, not string`, e.VersionType)
	}
	return `the initialize result has no "protocolVersion"`
}

// maxResult bounds the result of initialize or server/discover, in bytes. Several copies of it are kept as long
// as the connection. Instructions usually have a few kB.
const maxResult = 4 << 20

// errResultTooLarge reports a result of initialize or server/discover of more than [maxResult] bytes.
var errResultTooLarge = fmt.Errorf("the server's description of itself (capabilities, instructions) takes more than %d MB, the maximum of mcptea", maxResult>>20)

// DiscoverError reports that server/discover failed.
type DiscoverError struct {
	Err           error
	InitializeErr error // error of an earlier initialize, or nil if it was not sent
	Attempts      int   // number of server/discover requests that were sent as probes
}

// Error returns both reasons.
func (e *DiscoverError) Error() string {
	if e.InitializeErr == nil {
		return e.Err.Error()
	}
	return fmt.Sprintf("initialize failed (%v), and so did server/discover: %v", e.InitializeErr, e.Err)
}

// Unwrap returns the reason of server/discover, because initialize led to it.
func (e *DiscoverError) Unwrap() error { return e.Err }

// A FallbackError reports a URL that supports none of the HTTP transports. It does not unwrap to its errors,
// because each of them would be misleading by itself.
type FallbackError struct {
	Probe error // error of server/discover, or nil if it was not sent
	List  error // error of tools/list as the second probe, or nil if it was not sent
	HTTP  error // error of Streamable HTTP
	SSE   error // error of HTTP+SSE
}

// Error returns all reasons.
func (e *FallbackError) Error() string {
	switch {
	case e.Probe != nil && e.List != nil:
		return fmt.Sprintf("no MCP server found at this URL: server/discover (%v), tools/list (%v), initialize (%v), HTTP+SSE (%v)", e.Probe, e.List, e.HTTP, e.SSE)
	case e.Probe != nil:
		return fmt.Sprintf("no MCP server found at this URL: server/discover (%v), initialize (%v), HTTP+SSE (%v)", e.Probe, e.HTTP, e.SSE)
	}
	return fmt.Sprintf("the server supports neither Streamable HTTP (%v) nor HTTP+SSE (%v)", e.HTTP, e.SSE)
}

// missingCapability explains error -32021. A retry does not help: the request
// declared everything that mcptea supports.
func (m *Machine) missingCapability(refused *jsonrpc.Error) error {
	required, _ := jsonrpc.Member(refused.Data, "requiredCapabilities")
	var missing []string
	configurable := true
	declared := jsonrpc.MemberIndex(m.cfg.Capabilities)
	for name := range jsonrpc.Members(required) {
		if _, ok := declared[string(name)]; ok {
			continue
		}
		missing = append(missing, string(name))
		configurable = configurable && (string(name) == "sampling" || string(name) == "elicitation")
	}
	switch names := strings.Join(missing, " and "); {
	case len(missing) == 0:
		return refused
	case configurable:
		return fmt.Errorf("%w (the server requires a client with %s: add --answer %s=ask)", refused, names, missing[0])
	default:
		return fmt.Errorf("%w (the server requires a client with %s, which mcptea does not support)", refused, names)
	}
}

// isRefusal reports whether the server understood the request and rejected it, so that another way of
// connecting may work.
func isRefusal(err error) bool {
	var rpc *jsonrpc.Error
	var versions *RevisionError
	var status *transport.StatusError
	switch {
	case errors.As(err, &status):
		switch status.Status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
			return false
		}
		return status.Status/100 == 4
	case errors.As(err, &rpc), errors.As(err, &versions), errors.Is(err, ErrNoVersions):
		return true
	}
	return false
}

// lacksToken reports whether the server requires authorization.
func lacksToken(err error) bool {
	var tried *transport.AuthorizationError
	var status *transport.StatusError
	return errors.As(err, &tried) || errors.As(err, &status) && status.Status == http.StatusUnauthorized
}

// maxRetries bounds the repetitions of a request while the server is busy.
const maxRetries = 2

// maxPause is the longest Retry-After that mcptea waits for. A longer one is reported.
const maxPause = 10 * time.Second

// retry repeats the pending request if its HTTP status says that it may succeed later. ok is false if it does
// not, or after maxRetries.
func (m *Machine) retry(e Event, again Action) (a Action, ok bool) {
	pause, busy := m.isBusy(e)
	if !busy || m.waited || m.attempt > maxRetries {
		return Action{}, false
	}
	again.Retry, again.Wait, again.Reason = true, pause*time.Duration(m.attempt), e.Err.Error()
	m.attempt++
	return again, true
}

func (m *Machine) isBusy(e Event) (pause time.Duration, busy bool) {
	switch s := statusOf(e); {
	case s == http.StatusRequestTimeout, s == http.StatusTooManyRequests:
	case s/100 == 5 && s != http.StatusNotImplemented:
	default:
		return 0, false
	}
	pause = max(m.cfg.Backoff, e.RetryAfter)
	return pause, pause <= maxPause
}

// statusOf returns the HTTP status in an error, or 0.
func statusOf(e Event) int {
	var status *transport.StatusError
	if errors.As(e.Err, &status) {
		return status.Status
	}
	return 0
}

// rpcError returns the error of a response, or of the body of an HTTP error. A server that
// checks the headers first may answer without the id.
func rpcError(e Event) *jsonrpc.Error {
	frame, envelope := e.Frame, e.Envelope
	var status *transport.StatusError
	if frame == nil && errors.As(e.Err, &status) {
		frame, envelope = status.Body, jsonrpc.Scan(status.Body)
	}
	if envelope.Kind != jsonrpc.ErrorResponse || e.Frame == nil && !envelope.IsError() {
		return nil // the body of an HTTP error may contain an unrelated member "error"
	}
	return jsonrpc.ParseError(frame, envelope)
}

// supported returns the versions that an error lists, with any code: servers have used several.
func supported(e *jsonrpc.Error) []string {
	if e == nil {
		return nil
	}
	list, _ := jsonrpc.Member(e.Data, "supported")
	return jsonrpc.Strings(list)
}

// invalidType returns the JSON type of the first element of an array that is not a string, or "".
func invalidType(list []byte) string {
	for element := range jsonrpc.Elements(list) {
		if kind := jsonrpc.TypeOf(element); kind != "string" {
			return kind
		}
	}
	return ""
}

func namesStateless(versions []string) bool {
	return slices.Contains(versions, string(revision.NewestStateless))
}
