package pins

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/system"
	"mcptea/record/store"
	"mcptea/session/runs/script"
)

// Load reads the file again. It keeps the outcomes of pins whose request has not changed, and compares them
// with the new expectations.
func (p *Pins) Load() error {
	p.file.Lock()
	defer p.file.Unlock()
	return p.load()
}

// load implements Load. The caller holds the lock of the file.
func (p *Pins) load() error {
	text, err := read(p.path)
	p.mu.Lock()
	same := p.read && bytes.Equal(text, p.source) && (err == nil) == (p.problem == nil)
	p.mu.Unlock()
	if same {
		return err
	}
	return p.setText(text, err)
}

// read reads the file; one that does not exist is empty.
func read(path string) ([]byte, error) {
	text, err := script.ReadFile(path, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("cannot read the pins: %w", err)
	}
	return text, nil
}

// setText makes a text the content of the file.
func (p *Pins) setText(text []byte, failure error) error {
	var exchanges []*script.Exchange
	others, server, tools := 0, "", []string(nil)
	if failure == nil && len(bytes.TrimSpace(text)) > 0 {
		parsed, err := script.Parse(p.path, text)
		if err != nil {
			failure = err
		} else {
			exchanges = parsed.Exchanges()
			others = len(parsed.Sections) - len(exchanges)
			server, tools = parsed.Server, parsed.Repeated
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.source, p.read, p.problem, p.others = text, true, failure, others
	if failure != nil {
		p.changed()
		return failure
	}
	before := map[string]*pin{}
	for _, one := range p.pins {
		before[one.Name] = one
	}
	p.server, p.tools = server, tools
	p.pins = p.pins[:0:0]
	p.question = nil
	used := map[string]bool{}
	for _, x := range exchanges {
		one := &pin{exchange: x}
		one.RequestRow, one.ResponseRow = store.None, store.None
		one.Name = unused(x.Name, func(name string) bool { return used[name] })
		used[one.Name] = true
		one.Method, one.Subject = x.Call()
		one.Line = x.Text()
		fresh := *one
		if old := before[one.Name]; old != nil && old.Method == one.Method && old.Subject == one.Subject {
			params := old.params
			*one = *old
			one.exchange, one.Line = x, x.Text()
			if p.resolve(one); !jsonrpc.Equal(one.params, params) { // the request has changed
				*one = fresh
			}
		}
		one.Ignored, one.Expects = x.Ignored(), x.Expects()
		p.pins = append(p.pins, one)
		p.resolve(one)
		p.judge(one)
	}
	p.changed()
	return nil
}

// unused returns a name, with a number if it is taken.
func unused(name string, taken func(string) bool) string {
	out := name
	for n := 2; taken(out); n++ {
		out = name + "-" + strconv.Itoa(n)
	}
	return out
}

// Add pins a request with the response that it had, and returns the name of the pin. It
// reads and writes the file. Secrets are redacted in it.
func (p *Pins) Add(method string, params []byte, response client.Response) (name string, err error) {
	if response.Frame == nil {
		return "", errors.New("the request has no response yet")
	}
	p.file.Lock()
	defer p.file.Unlock()
	if err := p.load(); err != nil {
		return "", err
	}
	params = jsonrpc.Without(params, "_meta")
	if name := p.Find(method, params); name != "" {
		return "", fmt.Errorf("the call is pinned already, as %q", name)
	}
	p.mu.Lock()
	name = unused(baseName(method, params), func(name string) bool { return p.named(name) != nil })
	source := p.source
	if len(bytes.TrimSpace(source)) == 0 && p.name != "" {
		source = script.ServerLine(p.name)
	}
	p.mu.Unlock()
	text, err := script.Append(source, name, method, params, response)
	if err != nil {
		return "", err
	}
	if err := p.write(text); err != nil {
		return "", err
	}
	p.mu.Lock()
	one := p.named(name)
	p.mu.Unlock()
	if one != nil {
		p.ended(one, store.None, response, nil)
	}
	return name, nil
}

// Accept makes the last response of a pin its expectation. It reads and writes the file.
func (p *Pins) Accept(name string) error {
	return p.edit(name, func(one *pin) ([]byte, error) {
		if !one.done {
			return nil, fmt.Errorf("pin %q has no response yet; run it first", name)
		}
		return one.exchange.Accept(one.response, one.err)
	})
}

// AcceptResponse makes a response the expectation of a pin. It reads and writes the file.
func (p *Pins) AcceptResponse(name string, response client.Response) error {
	return p.edit(name, func(one *pin) ([]byte, error) { return one.exchange.Accept(response, nil) })
}

// Ignore leaves the values at a path out of the comparison of a pin; see
// [diff.ParseIgnore]. It reads and writes the file.
func (p *Pins) Ignore(name, path string) error {
	return p.edit(name, func(one *pin) ([]byte, error) { return one.exchange.Ignore(path) })
}

// Edit replaces the request of a pin by a line of the file. It reads and writes the file.
func (p *Pins) Edit(name, line string) error {
	return p.edit(name, func(one *pin) ([]byte, error) { return one.exchange.Edit(line) })
}

// Remove removes a pin. It reads and writes the file.
func (p *Pins) Remove(name string) error {
	return p.edit(name, func(one *pin) ([]byte, error) { return one.exchange.Remove(), nil })
}

// Repeat sets whether the calls of a tool run after each restart of the server. It reads and writes the file.
func (p *Pins) Repeat(tool string, on bool) error {
	p.file.Lock()
	defer p.file.Unlock()
	if err := p.load(); err != nil {
		return err
	}
	p.mu.Lock()
	tools := slices.DeleteFunc(slices.Clone(p.tools), func(other string) bool { return other == tool })
	if on {
		tools = append(tools, tool)
	}
	text := script.Repeat(p.source, tools)
	p.mu.Unlock()
	return p.write(text)
}

// Rename changes the pins of a tool or a prompt to its new name and the new names of its properties, and
// returns their number. It reads and writes the file.
func (p *Pins) Rename(method, old, now string, properties map[string]string) (n int, err error) {
	p.file.Lock()
	defer p.file.Unlock()
	if err := p.load(); err != nil || len(p.source) == 0 {
		return 0, err
	}
	parsed, err := script.Parse(p.path, p.source)
	if err != nil {
		return 0, err
	}
	text, n := parsed.Rename(method, old, now, properties)
	tools := slices.Clone(parsed.Repeated)
	if i := slices.Index(tools, old); i >= 0 && method == "tools/call" {
		tools[i] = now
		if !script.IsWord(now) { // the name cannot be in the list, so the call no longer runs automatically
			tools = slices.Delete(tools, i, i+1)
		}
		text = script.Repeat(text, tools)
	} else if n == 0 {
		return 0, nil
	}
	return n, p.write(text)
}

// edit changes the text of the file.
func (p *Pins) edit(name string, change func(one *pin) ([]byte, error)) error {
	p.file.Lock()
	defer p.file.Unlock()
	if err := p.load(); err != nil {
		return err
	}
	p.mu.Lock()
	one := p.named(name)
	if one == nil {
		p.mu.Unlock()
		return fmt.Errorf("there is no pin %q in %s", name, p.path)
	}
	copied := *one
	p.mu.Unlock()
	text, err := change(&copied)
	if err != nil {
		return err
	}
	return p.write(text)
}

// write writes the file, unless it has changed since it was read, and takes its new content. The caller holds the lock of the file.
func (p *Pins) write(text []byte) error {
	path, mode := p.path, fs.FileMode(0o600)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm() // others may read the file, such as a container that runs it
	}
	agreed := p.hasAgreed()
	p.mu.Lock()
	before := p.source
	p.mu.Unlock()
	again := func() ([]byte, error) { return read(p.path) }
	err := system.ReplaceUnchanged(path, before, again, func(f *os.File) error {
		_, err := f.Write(text)
		return errors.Join(err, os.Chmod(f.Name(), mode))
	})
	if err != nil {
		return fmt.Errorf("cannot write the pins: %w", err)
	}
	err = p.setText(text, nil)
	if agreed && err == nil {
		return p.keepAgreement() // the user made the change
	}
	return err
}
