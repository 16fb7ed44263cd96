package failure

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"os/exec"
	"syscall"

	"mcptea/client"
	"mcptea/client/oauth"
	mcphttp "mcptea/client/transport/http"
	"mcptea/client/transport/stdio"
	"mcptea/internal/system"
)

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

// errnoIs is like [is], for an error of the operating system.
func errnoIs(name syscall.Errno) func(error) bool {
	return func(err error) bool { return system.IsErrno(err, name) }
}

func as[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// isError maps names in failures.jsonl to predicates of errors.
var isError = map[string]func(error) bool{
	"no-directory": is(stdio.ErrNoDir), "not-found": is(exec.ErrNotFound), "no-file": is(os.ErrNotExist), "permission": is(os.ErrPermission),
	"directory": is(syscall.EISDIR), "exec-format": errnoIs(syscall.ENOEXEC), "stdout-closed": is(stdio.ErrStdoutClosed), "broken-pipe": errnoIs(syscall.EPIPE),
	"process-files": errnoIs(syscall.EMFILE), "system-files": is(syscall.ENFILE),

	"empty": is(mcphttp.ErrEmpty), "stream-ended": is(mcphttp.ErrStreamUnanswered), "no-response": is(mcphttp.ErrNoAnswer),
	"sse-ended": is(mcphttp.ErrStreamEnded), "first-event": as[*mcphttp.FirstEventError], "origin": as[*mcphttp.OriginError], "endpoint": as[*mcphttp.EndpointError],

	"certificate": as[*tls.CertificateVerificationError], "unknown-authority": as[x509.UnknownAuthorityError], "other-host": as[x509.HostnameError],
	"expired": func(err error) bool {
		invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
		return ok && invalid.Reason == x509.Expired
	},

	"no-metadata": as[*oauth.NoMetadataError], "incomplete": as[*oauth.IncompleteError], "unannounced": as[*oauth.UnannouncedError], "no-browser": as[*oauth.NoBrowserError], "refusal": as[*oauth.Refusal], "no-client": as[*oauth.ClientError], "client-auth": as[*oauth.ClientAuthError],
	"token-rejected": as[*oauth.TokenRejectedError], "scope": as[*oauth.ScopeError], "consent-timeout": is(oauth.ErrConsentTimeout),
	"cancelled": is(oauth.ErrCancelled), "server-error": as[*oauth.ServerError],

	"no-versions": is(client.ErrNoVersions), "result": as[*client.ResultError], "task-cancelled": is(client.ErrTaskCancelled),
	"cursor-loop": is(client.ErrCursorLoop), "list-size": is(client.ErrListTooLarge), "list-pages": is(client.ErrTooManyPages), "list-repeats": as[*client.PagesError], "not-a-list": is(client.ErrNotAList),
	"input": as[*client.InputError], "input-refused": is(client.ErrInputRefused), "input-rounds": is(client.ErrTooManyRounds), "tool-headers": as[*client.InvalidToolError],
}
