package target

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/hosts"
)

// maxPasted is the size of the largest text that is taken as pasted, in bytes.
const maxPasted = 64 << 10

// pastedTarget is the target of JSON that the user has pasted.
func (p *Connection) pastedTarget(text string) (t client.Target, err error) {
	if len(text) > maxPasted {
		return t, app.Usage("Save it in a file, and name the server as FILE#NAME.", "the pasted JSON has %d bytes, more than the maximum of %d", len(text), maxPasted)
	}
	dir, err := os.Getwd()
	if err != nil {
		return t, err
	}
	m, err := hosts.LocalMachine(dir)
	if err != nil {
		return t, err
	}
	c := hosts.ReadPasted(m, text)
	var s *hosts.Server
	if len(c.Servers) > 1 {
		s, err = p.chooseServer(c)
	} else {
		s, err = p.serverIn(c, m, hosts.PastedFile, "")
	}
	if err != nil {
		return t, err
	}
	return p.entryTarget(s, s.Name)
}

// chooseServer asks which of several pasted servers is meant.
func (p *Connection) chooseServer(c *hosts.Configuration) (*hosts.Server, error) {
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
		fmt.Fprint(p.Err, "Which one? ")
		text, err := p.ReadLine()
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
