package target

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/internal/shell"
)

// maxPasted bounds a pasted text, in bytes.
const maxPasted = 64 << 10

// Pasted returns the servers of a text that the user has pasted: JSON, or the command line that
// adds a server to a host, such as claude mcp add, which is read and never run. It is nil for
// another text.
func (p *Target) Pasted(text string) (*hosts.Configuration, *hosts.Machine, error) {
	isJSON := strings.HasPrefix(strings.TrimSpace(text), "{")
	if !isJSON && len(text) <= maxPasted {
		_, isJSON = hosts.Enclosed(text)
	}
	if !isJSON && !strings.Contains(text, "mcp") {
		return nil, nil, nil
	}
	if isJSON && len(text) > maxPasted {
		return nil, nil, app.Usage("Save it in a file, and name the server as FILE#NAME.", "the pasted JSON has %d bytes, more than the maximum of %d", len(text), maxPasted)
	}
	if isJSON {
		return readPasted(text)
	}
	words, err := shell.Split(text, func(name string) (string, bool) { return "${" + name + "}", true }) // the question shows the name
	if err != nil {
		return nil, nil, nil // the reader of the text reports the error
	}
	return addedBy(words)
}

// addedBy returns the server that the words of a command line add to a host; nil for other words.
func addedBy(words []string) (*hosts.Configuration, *hosts.Machine, error) {
	file, ok, err := hosts.AddLine(words)
	switch {
	case !ok:
		return nil, nil, nil
	case err != nil:
		return nil, nil, app.Usage("Write the command that starts the server, or its URL.", "cannot read the line that adds a server: %v", err)
	case len(file) > maxPasted:
		return nil, nil, app.Usage("", "the line has more than the maximum of %d bytes", maxPasted)
	}
	return readPasted(file)
}

func readPasted(text string) (*hosts.Configuration, *hosts.Machine, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	m, err := hosts.LocalMachine(dir)
	if err != nil {
		return nil, nil, err
	}
	return hosts.ReadPasted(m, text), m, nil
}

// pastedTarget returns the target in a pasted text: the server that the user chose on the start screen, or
// chooses now. found is false if nothing was pasted.
func (p *Target) pastedTarget(c *hosts.Configuration, m *hosts.Machine) (t client.Target, found bool, err error) {
	var s *hosts.Server
	shown := func(s *hosts.Server) bool { return s.Name == p.Shown.Name && p.Shown.Launches(s) }
	switch {
	case p.Shown != nil && slices.ContainsFunc(c.Servers, shown):
		s = c.Servers[slices.IndexFunc(c.Servers, shown)]
	case len(c.Servers) > 1:
		s, err = p.chooseServer(c)
	default:
		s, err = p.serverIn(c, m, hosts.PastedFile, "")
	}
	if err != nil {
		return t, false, err
	}
	if t, err = p.entryTarget(s, s.Name); p.Shown != nil {
		p.Launch = "" // the start screen has shown all of it and asked about it
	}
	return t, err == nil, err
}

// chooseServer asks for one of several pasted servers.
func (p *Target) chooseServer(c *hosts.Configuration) (*hosts.Server, error) {
	var lines []string
	for i, s := range c.Servers {
		lines = append(lines, p.Err.Safe(fmt.Sprintf("  %d  %s  %s", i+1, s.Name, s.Written.String())))
	}
	if !p.canAsk() {
		return nil, app.Usage("Leave one of them:\n"+strings.Join(lines, "\n"), "the %s has %d servers", hosts.PastedFile, len(c.Servers))
	}
	for _, l := range lines {
		p.Err.Line(l)
	}
	for {
		text, err := p.Prompt("Which one? ")
		switch n, wrong := strconv.Atoi(strings.TrimSpace(text)); {
		case p.Ctx.Err() != nil:
			return nil, err
		case err != nil || text == "":
			return nil, app.Failed("no server was chosen")
		case wrong == nil && n > 0 && n <= len(c.Servers):
			return c.Servers[n-1], nil
		}
	}
}
