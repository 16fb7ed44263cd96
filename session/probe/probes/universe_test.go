package probes_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"sort"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/lint"
	"mcptea/session/probe"
	"mcptea/session/probe/probes"
)

// disturbance is a server that is wrong, or merely unusual, in one way at every step. The
// findings about it are those of true: no probe may accuse it of anything else.
type disturbance struct {
	name string
	// request answers a request in place of the server; ends the process with exit. n
	// counts the requests of a process.
	request func(n int, method string, id []byte) (answer string, exit bool)
	// response changes a message of the server; start is the number of its process.
	response func(message []byte, start int) []byte
	delay    time.Duration // of each message
	startup  time.Duration // before anything is read
	// unusual reports that the specification allows it: nothing may be said at all.
	unusual bool
	// true are patterns of "ID message" of findings that say nothing but the truth.
	true []string
}

func refuse(id []byte, code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
}

// disturb applies a disturbance to a server.
func disturb(serve sessiontest.Serve, d disturbance, starts *int) sessiontest.Serve {
	var count sync.Mutex
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		count.Lock()
		*starts++
		start := *starts
		count.Unlock()
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		if d.startup > 0 {
			select {
			case <-time.After(d.startup):
			case <-ctx.Done():
				return nil
			}
		}
		toInner, innerIn := io.Pipe()
		innerOut, fromInner := io.Pipe()
		var wg sync.WaitGroup
		one := make(chan struct{}, 1) // a mutex would keep time from passing
		write := func(line []byte) {
			if d.response != nil {
				line = d.response(bytes.Clone(line), start)
			}
			put := func() {
				one <- struct{}{}
				defer func() { <-one }()
				_, _ = out.Write(append(bytes.TrimRight(line, "\n"), '\n'))
			}
			if d.delay == 0 {
				put()
				return
			}
			line = bytes.Clone(line)
			wg.Go(func() {
				select {
				case <-time.After(d.delay):
					put()
				case <-ctx.Done():
				}
			})
		}
		wg.Go(func() {
			_ = serve(ctx, toInner, fromInner)
			_ = fromInner.Close()
			_ = toInner.Close()
		})
		wg.Go(func() {
			lines := bufio.NewReaderSize(innerOut, 1<<20)
			for {
				line, err := lines.ReadBytes('\n')
				if len(line) > 0 {
					write(line)
				}
				if err != nil {
					return
				}
			}
		})
		n := 0
		incoming := make(chan []byte, 10_000) // the client can write while an earlier line is handled
		go func() {                           // ends with the input
			defer close(incoming)
			lines := bufio.NewReaderSize(in, 1<<20)
			for {
				line, err := lines.ReadBytes('\n')
				if len(line) > 0 {
					incoming <- line
				}
				if err != nil {
					return
				}
			}
		}()
		exited := false
		for line := range incoming {
			e := jsonrpc.Scan(line)
			if e.Kind == jsonrpc.Request && e.Flaws == 0 && d.request != nil {
				n++
				answer, exit := d.request(n, e.MethodName(line), e.ID.Of(line).Shown())
				if exited = exit; exit {
					break
				}
				if answer != "" {
					write([]byte(answer))
					continue
				}
			}
			if _, err := innerIn.Write(line); err != nil {
				break
			}
		}
		if d.delay > 0 && !exited { // what is under way is still written
			select {
			case <-time.After(d.delay + time.Millisecond):
			case <-ctx.Done():
			}
		}
		stop()
		_ = innerIn.Close()
		_ = innerOut.Close()
		wg.Wait()
		return nil
	}
}

// shuffled is a JSON value with the members of all objects in another order.
func shuffled(text []byte, random *rand.Rand) []byte {
	switch {
	case len(text) > 0 && text[0] == '{':
		var members map[string]json.RawMessage
		if json.Unmarshal(text, &members) != nil {
			return text
		}
		var names []string
		for name := range members {
			names = append(names, name)
		}
		sort.Strings(names)
		random.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
		parts := make([]string, 0, len(names))
		for _, name := range names {
			parts = append(parts, probe.JSON(name)+":"+string(shuffled(members[name], random)))
		}
		return []byte("{" + strings.Join(parts, ",") + "}")
	case len(text) > 0 && text[0] == '[':
		var parts []string
		for element := range jsonrpc.Elements(text) {
			parts = append(parts, string(shuffled(bytes.TrimSpace(element), random)))
		}
		return []byte("[" + strings.Join(parts, ",") + "]")
	}
	return text
}

var description = regexp.MustCompile(`"description":"`)

func disturbances() []disturbance {
	random := rand.New(rand.NewPCG(1, 2))
	var lock sync.Mutex
	isOf := func(methods ...string) func(int, string, []byte) (string, bool) {
		return func(_ int, method string, id []byte) (string, bool) {
			for _, m := range methods {
				if ok, _ := regexp.MatchString("^("+m+")$", method); ok {
					return refuse(id, -32603, "fetch failed"), false
				}
			}
			return "", false
		}
	}
	asText := func(id []byte) []byte {
		if len(id) > 0 && id[0] != '"' {
			return []byte(`"` + string(id) + `"`)
		}
		return id
	}
	return []disturbance{
		{name: "list-error", request: isOf("tools/list"), true: []string{`P-045 The list cannot be read: tools/list returned error -32603`, `P-010 .*tools/list`}},
		{name: "all-lists-error", request: isOf(".*/list"), true: []string{`P-045 The list cannot be read: .*/list returned error -32603`}},
		{name: "read-error", request: isOf("resources/read"), true: []string{`P-067 .*fetch failed`, `P-065 .*-32603`, `P-211 The app .* cannot be read`}},
		{name: "call-error", request: isOf("tools/call"), true: []string{`P-058 .*fetch failed`, `P-033 .*-32603`}},
		{name: "init-only", request: isOf("[^i].*", "i[^n].*"), true: []string{`P-045 The list cannot be read`, `P-085 .*ping`, `P-001 .*ping`, `P-189 .*`, `P-140 .*`}},
		{name: "shuffle", unusual: true, response: func(m []byte, _ int) []byte {
			lock.Lock()
			defer lock.Unlock()
			return shuffled(bytes.TrimSpace(m), random)
		}},
		{name: "describe", response: func(m []byte, start int) []byte {
			return description.ReplaceAll(m, fmt.Appendf(nil, `"description":"%d `, start))
		}, true: []string{`P-190 After a restart the lists differ`}},
		{name: "slow-3s", unusual: true, delay: 3 * time.Second, true: []string{`P-185 95% of the pings take`, `P-001 The response to initialize took`}},
		{name: "slow-600ms", unusual: true, delay: 600 * time.Millisecond, true: []string{`P-185 95% of the pings take`}},
		{name: "start-3s", unusual: true, startup: 3 * time.Second},
		{name: "dies-at-5th", request: func(n int, _ string, _ []byte) (string, bool) { return "", n >= 5 },
			true: []string{`.*by itself`, `.*ends the connection after .* plain requests`, `P-045 .*the end of the connection`}},
		{name: "ends-at-string-id", request: func(_ int, _ string, id []byte) (string, bool) { return "", id[0] == '"' },
			true: []string{`.*with the id (|")"`, `.*id a string of`, `.*"again"`, `.*"51" at once`, `.*"c1"`}},
		{name: "ping-id-as-text", request: func(_ int, method string, id []byte) (string, bool) {
			if method == "ping" {
				return `{"jsonrpc":"2.0","id":` + string(asText(id)) + `,"result":{}}`, false
			}
			return "", false
		}, true: []string{`P-026 The response has the id`, `P-026 There is no response with the id`, `P-033 .*id`, `P-027 The response to`}},
		{name: "ids-escaped", unusual: true, response: func(m []byte, _ int) []byte {
			var b bytes.Buffer
			for _, ch := range string(m) {
				if ch < 0x80 {
					b.WriteRune(ch)
				} else if ch < 0x10000 {
					fmt.Fprintf(&b, `\u%04x`, ch)
				} else {
					ch -= 0x10000
					fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+ch>>10, 0xdc00+ch&0x3ff)
				}
			}
			return b.Bytes()
		}},
		{name: "flaky", request: func(n int, method string, id []byte) (string, bool) {
			if n%7 == 0 {
				return refuse(id, -32603, "temporarily unavailable"), false
			}
			return "", false
		}, true: []string{`.*temporarily unavailable`}},
	}
}

// No probe accuses a server of anything but what is wrong with it: whatever a request
// that is odd leads to says nothing where the plain one leads to it as well.
func TestProbe_AccusesOfNothingElse(t *testing.T) {
	total, wrong := 0, 0
	for _, d := range disturbances() {
		for _, v := range []revision.Revision{revision.R20251125, revision.R20260728} {
			if d.name == "ping-id-as-text" && v.IsStateless() {
				continue // it has no ping
			}
			t.Run(d.name+"/"+string(v), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					starts := 0
					connect := sessiontest.Dial(disturb(sessiontest.Demo(demo.Options{Pace: time.Millisecond}), d, &starts))
					summary, err := probes.Run(context.Background(), probe.Config{
						Client: client.Config{Name: "mcptea", Version: "1", Revision: v}, Seed: 1, MaxTime: 10 * time.Hour,
						Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
					}, nil)
					if err != nil {
						t.Skipf("not connected: %v", err)
					}
					unjudged := 0
					for _, r := range summary.Reports {
						if r.Verdict == probe.Failure {
							unjudged++
						}
						if hostile[r.Entry.ID] {
							continue
						}
						for _, f := range r.Findings {
							if f.Severity == lint.Info {
								continue
							}
							total++
							said := r.Entry.ID + " " + f.Message
							isTrue := false
							for _, pattern := range d.true {
								isTrue = isTrue || regexp.MustCompile("^("+pattern+")").MatchString(said)
							}
							if !isTrue {
								wrong++
								t.Errorf("%s %s", f.Severity, said)
							}
						}
					}
					t.Logf("%d unjudged, %d sent, %d starts, %s", unjudged, summary.Sent, starts, summary.Took.Round(time.Second))
				})
			})
		}
	}
	t.Logf("findings %d, not true %d", total, wrong)
}
