package servers

import (
	"mcptea/client/hosts"
)

// Document is the output of servers --json.
type Document struct {
	Servers  []Server        `json:"servers"`  // the entries
	Problems []hosts.Problem `json:"problems"` // problems of files; the servers have the problems of their entries
	Files    []hosts.File    `json:"files"`    // the files that exist, in the order of their precedence
}

// Server is an entry of a configuration file.
type Server struct {
	ID        string            `json:"id"`                   // HOST/NAME, as in --server
	Host      string            `json:"host"`                 // id of the application
	Name      string            `json:"name"`                 // key of the entry
	Scope     hosts.Scope       `json:"scope"`                // scope of the entry, such as "user" or "project"
	Project   string            `json:"project,omitempty"`    // directory for which an entry of a user's file is meant
	State     string            `json:"state"`                // effect of the entry in the host, see hosts.md
	Effective bool              `json:"effective"`            // the host uses this entry, and no other one of the same name
	Disabled  bool              `json:"disabled"`             // the host does not start it
	Wrapped   bool              `json:"wrapped"`              // the entry runs through mcptea tap
	Source    hosts.Source      `json:"source"`               // the place of the entry
	Transport hosts.Transport   `json:"transport,omitempty"`  // "stdio", "http" or "sse"
	Command   string            `json:"command,omitempty"`    // command as written
	Args      []string          `json:"args,omitempty"`       // secrets redacted
	Cwd       string            `json:"cwd,omitempty"`        // directory in which the command runs
	Env       map[string]string `json:"env,omitempty"`        // secrets redacted
	EnvFile   string            `json:"env_file,omitempty"`   // file with more variables
	URL       string            `json:"url,omitempty"`        // secrets redacted
	Headers   map[string]string `json:"headers,omitempty"`    // secrets redacted
	TimeoutMS int64             `json:"timeout_ms,omitempty"` // timeout of a request
	Problems  []hosts.Problem   `json:"problems"`             // problems of the entry
}

func fieldsDocument(fields []hosts.Field) map[string]string {
	if len(fields) == 0 {
		return nil
	}
	out := make(map[string]string, len(fields))
	for _, f := range fields {
		out[f.Name] = f.Value
	}
	return out
}

func (p *commands) printServersJSON(c *hosts.Configuration) error {
	d := Document{Servers: []Server{}, Problems: append([]hosts.Problem{}, c.Problems...), Files: append([]hosts.File{}, c.Files...)}
	for _, s := range c.Servers {
		l := s.Written.Redacted()
		d.Servers = append(d.Servers, Server{
			ID: s.ID(), Host: s.Host, Name: s.Name, Scope: s.Scope, Project: s.Project, State: ServerState(c, s), Effective: s.Effective,
			Disabled: s.Disabled, Wrapped: s.Wrapped, Transport: s.Transport, Command: l.Command, Args: l.Args, Cwd: l.Dir,
			Env: fieldsDocument(l.Env), EnvFile: l.EnvFile, URL: l.URL, Headers: fieldsDocument(l.Headers), TimeoutMS: s.Timeout.Milliseconds(),
			Source: s.Source, Problems: append([]hosts.Problem{}, s.Problems...),
		})
	}
	return p.PrintDocument(d)
}
