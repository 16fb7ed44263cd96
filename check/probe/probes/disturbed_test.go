package probes_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"sort"
	"strings"
	"sync"
	"time"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/test/sessiontest"
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
	late     time.Duration // of each tenth message
	stack    bool          // of the messages that are delayed, the newest is written first
	large    time.Duration // of the response to a request of more than 100 kB
	single   bool          // a new process ends the one before
	waits    int           // one of that many processes waits for what others hold, and is silent
	alone    bool          // a process does not start beside another one
	startup  time.Duration // before anything is read
	restart  time.Duration // the same, more of it for each process but the first
	// unusual reports that the specification allows it: nothing may be said at all.
	unusual bool
	// true are patterns of "ID message" of findings that say nothing but the truth, most at
	// most how many of them there may be; 3 if zero.
	true []string
	most int
	// lines are what the server writes in place of a message, if not nil.
	lines func(message []byte, n int) [][]byte
	// only are the versions that it exists in; nil for both eras.
	only revision.Revision
}

// noLine is the answer of a server that writes nothing.
const noLine = " "

func refuse(id []byte, code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
}

// disturb applies a disturbance to a server.
func disturb(serve sessiontest.Serve, d disturbance, starts *int) sessiontest.Serve {
	var count sync.Mutex
	end := func() {} // ends the newest process
	running := 0
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		count.Lock()
		*starts++
		start := *starts
		if d.single {
			end()
			end = stop
		}
		beside := running > 0
		running++
		count.Unlock()
		defer func() {
			count.Lock()
			defer count.Unlock()
			running--
		}()
		if d.waits > 0 && start%d.waits == 0 {
			<-ctx.Done()
			return nil
		}
		if d.alone && beside {
			return nil
		}
		if later := d.startup + d.restart*time.Duration(min(start-1, 1)); later > 0 {
			select {
			case <-time.After(later):
			case <-ctx.Done():
				return nil
			}
		}
		toInner, innerIn := io.Pipe()
		innerOut, fromInner := io.Pipe()
		var wg sync.WaitGroup
		one := make(chan struct{}, 1) // a mutex would keep time from passing
		written := 0
		var delayed [][][]byte       // of stack; the lock is one
		write := func(line []byte) { // by the server, and by d.request
			one <- struct{}{}
			if d.response != nil {
				line = d.response(bytes.Clone(line), start)
			}
			written++
			all := [][]byte{line}
			if d.lines != nil {
				all = d.lines(bytes.Clone(bytes.TrimSpace(line)), written)
			}
			delay := d.delay
			if d.late > 0 && written%10 == 0 {
				delay = d.late
			}
			<-one
			put := func() {
				one <- struct{}{}
				defer func() { <-one }()
				for _, line := range all {
					_, _ = out.Write(append(bytes.TrimRight(line, "\n"), '\n'))
				}
			}
			if delay == 0 {
				put()
				return
			}
			for i := range all {
				all[i] = bytes.Clone(all[i])
			}
			if d.stack {
				one <- struct{}{}
				delayed = append(delayed, all)
				<-one
			}
			wg.Go(func() {
				select {
				case <-time.After(delay):
					if d.stack {
						one <- struct{}{}
						all = delayed[len(delayed)-1]
						delayed = delayed[:len(delayed)-1]
						<-one
					}
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
		if d.single {
			go func() { // ends with the process
				<-ctx.Done()
				_ = out.(io.Closer).Close()
				_ = in.(io.Closer).Close()
			}()
		}
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
					if answer != noLine {
						write([]byte(answer))
					}
					continue
				}
			}
			if d.large > 0 && len(line) > 100_000 {
				wg.Go(func() {
					select {
					case <-time.After(d.large):
						_, _ = innerIn.Write(line)
					case <-ctx.Done():
					}
				})
				continue
			}
			if _, err := innerIn.Write(line); err != nil {
				break
			}
		}
		if delay := d.delay + d.late + d.large; delay > 0 && !exited { // what is under way is still written
			select {
			case <-time.After(delay + time.Millisecond):
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
