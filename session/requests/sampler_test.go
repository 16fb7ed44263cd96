//go:build unix

package requests

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/shell"
)

// samplingSession is a session that waits for its samplers.
type samplingSession struct {
	fake
	work sync.WaitGroup
	mu   sync.Mutex
}

func (s *samplingSession) Responder() Client { return s }
func (s *samplingSession) Go(do func())      { s.work.Go(do) }

func (s *samplingSession) Respond(_ context.Context, id jsonrpc.ID, result []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.QueueResponse(id, result)
}

func (s *samplingSession) RespondError(_ context.Context, id jsonrpc.ID, _ int64, message string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, id.String()+" "+message)
	return nil
}

func sampling(id string, params string) Request {
	return Request{ID: jsonrpc.IDOf(id), Method: client.MethodSampling, Params: []byte(params), Conn: 1}
}

func withSampler(line string) (*Inbox, *samplingSession) {
	s := &samplingSession{}
	b, _ := New(s, Policies{Sampling: Policy{Mode: PolicyCommand, Command: line}}, 0)
	return b, s
}

func TestSampler(t *testing.T) {
	for line, want := range map[string]string{
		`printf '{\n "got": %s}' "$(cat)"`: `1 result {"got":{"maxTokens":5}}`,
		`cat >/dev/null; echo "token ghp_0123456789abcdefghijABCDEFGHIJ012345 expired" >&2; exit 3`: "1 sampler failed: exit status 3: token ",
		`echo Assam`: "1 sampler failed: its standard output is not a JSON object",
		`true`:       "1 sampler failed: its standard output is not a JSON object",
	} {
		b, s := withSampler(line)
		b.Add(sampling("1", `{"maxTokens":5}`))
		s.work.Wait()
		if len(s.sent) != 1 || !strings.HasPrefix(s.sent[0], want) {
			t.Errorf("%s: sent %q", line, s.sent)
		}
		r := b.Requests()[0]
		if r.By != "sampler" || r.Sampling() || (r.State == Refused) != (r.Failure != "") {
			t.Errorf("%s: %v by %s, %q", line, r.State, r.By, r.Failure)
		}
		if text := s.sent[0] + string(r.Stderr) + r.Failure; strings.Contains(text, "ghp_0123") {
			t.Errorf("a secret is in %s", text)
		}
	}
}

// A request that the server withdraws ends the command, and so does a response of the
// user.
func TestSampler_EndsWithItsRequest(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	if err := syscall.Mkfifo(started, 0o600); err != nil {
		t.Fatal(err)
	}
	b, s := withSampler("echo > " + started + "; sleep 1000")
	b.Add(sampling("1", "{}"))
	b.Add(sampling("2", "{}"))
	if r := b.Requests()[0]; !r.Sampling() || r.State != Waiting {
		t.Errorf("%v", r.State)
	}
	if _, err := os.ReadFile(started); err != nil { // waits until one of them runs
		t.Fatal(err)
	}
	b.Withdraw(jsonrpc.IDOf("1"), "server", time.Now())
	if err := b.Respond(jsonrpc.IDOf("2"), []byte(`{"by":"hand"}`)); err != nil {
		t.Error(err)
	}
	s.work.Wait()
	if !slices.Equal(s.sent, []string{`2 result {"by":"hand"}`}) {
		t.Errorf("sent %q", s.sent)
	}
}

// The user may have a command respond to a request that waits, once, and to no other.
func TestSample_WaitingRequest(t *testing.T) {
	s := &samplingSession{}
	b, _ := New(s, Policies{Sampling: Policy{Mode: PolicyUser}}, 0)
	b.Add(sampling("1", "{}"))
	started := filepath.Join(t.TempDir(), "started")
	if err := syscall.Mkfifo(started, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.Sample(jsonrpc.IDOf("1"), "cat "+started+" >/dev/null; echo '{}'"); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"1", "2"} { // the first one has its command
		if err := b.Sample(jsonrpc.IDOf(id), "echo '{}'"); err != errNotWaiting {
			t.Errorf("a command for request %s: %v", id, err)
		}
	}
	if err := os.WriteFile(started, nil, 0o600); err != nil { // waits for the command
		t.Fatal(err)
	}
	s.work.Wait()
	if !slices.Equal(s.sent, []string{"1 result {}"}) {
		t.Errorf("sent %q", s.sent)
	}
}

func TestSetPolicy_AppliesToLaterRequests(t *testing.T) {
	b, f := newInbox(PolicyUser)
	b.Add(elicitation(1, `{}`))
	b.SetPolicy(client.MethodElicitation, Policy{Mode: PolicyAccept})
	b.Add(elicitation(2, `{"requestedSchema":{"type":"object","properties":{"n":{"type":"integer","minimum":3},"s":{"type":"string"}},"required":["n"]}}`))
	b.Add(elicitation(3, `{"mode":"url"}`))
	b.SetPolicy(client.MethodRoots, Policy{Mode: PolicyError})
	b.Add(Request{ID: jsonrpc.IDOf("4"), Method: client.MethodRoots})
	want := []string{`2 result {"action":"accept","content":{"n":3}}`, `3 result {"action":"accept"}`, "4 error -32603"}
	if !slices.Equal(f.sent, want) || b.Requests()[0].State != Waiting {
		t.Errorf("sent %q", f.sent)
	}
}

// Further samplers wait until one has ended, and do not run when their request is
// withdrawn before that.
func TestSampler_MaxSamplers(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	b, s := withSampler("echo yes >" + ran + "; echo '{}'")
	for n := range 5 {
		select {
		case b.samplers <- struct{}{}: // one that runs
			if n == 4 {
				t.Error("5 samplers run at the same time")
			}
		default:
			if n < 4 {
				t.Errorf("%d samplers run at the same time", n)
			}
		}
	}
	b.Add(sampling("1", "{}"))
	b.Withdraw(jsonrpc.IDOf("1"), "server", time.Now())
	s.work.Wait()
	if _, err := os.Stat(ran); err == nil || len(s.sent) != 0 {
		t.Errorf("a sampler runs beside 4 others: %v, sent %q", err, s.sent)
	}
	b.Add(sampling("2", "{}"))
	<-b.samplers // one of them ends
	s.work.Wait()
	if !slices.Equal(s.sent, []string{"2 result {}"}) {
		t.Errorf("sent %q", s.sent)
	}
}

// Of a long stderr the begin is kept, and a result that is too long is refused.
func TestSampler_MaxSampled(t *testing.T) {
	for size, want := range map[int]int{4 << 10: 4 << 10, 4<<10 + 1: 4 << 10} {
		b, s := withSampler("head -c " + fmt.Sprint(size) + " /dev/zero >&2; echo '{}'")
		b.Add(sampling("1", "{}"))
		s.work.Wait()
		if got := len(b.Requests()[0].Stderr); got != want {
			t.Errorf("of %d bytes of stderr %d are kept", size, got)
		}
	}
	if maxSampled != 16<<20 {
		t.Errorf("a result may have %d bytes", maxSampled)
	}
	for cut, want := range map[bool]State{false: Answered, true: Refused} {
		r := samplerResponse(shell.Output{Stdout: []byte("{}"), Cut: cut}, nil)
		if r.state != want || cut != strings.Contains(r.message, "larger than 16 MB") {
			t.Errorf("cut %t: %v, %q", cut, r.state, r.message)
		}
	}
}
