package servers

import (
	"mcptea/client/hosts"
)

// serversDocument is what servers --json prints.
type serversDocument struct {
	Servers  []serverDocument  `json:"servers"`
	Problems []problemDocument `json:"problems"` // of files; those of entries are in the servers
	Files    []fileDocument    `json:"files"`
}

type fileDocument struct {
	Host string `json:"host"`
	Path string `json:"path"`
}

type serverDocument struct {
	ID        string            `json:"id"`
	Host      string            `json:"host"`
	Name      string            `json:"name"`
	Scope     hosts.Scope       `json:"scope"`
	Project   string            `json:"project,omitempty"`
	State     string            `json:"state"`
	Effective bool              `json:"effective"`
	Disabled  bool              `json:"disabled"`
	Wrapped   bool              `json:"wrapped"`
	Source    sourceDocument    `json:"source"`
	Transport hosts.Transport   `json:"transport,omitempty"`
	Command   string            `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	Cwd       string            `json:"cwd,omitempty"`
	Env       map[string]string `json:"env,omitempty"` // secrets redacted
	EnvFile   string            `json:"env_file,omitempty"`
	URL       string            `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"` // secrets redacted
	TimeoutMS int64             `json:"timeout_ms,omitempty"`
	Problems  []problemDocument `json:"problems"`
}

type sourceDocument struct {
	File    string `json:"file"`
	Format  string `json:"format"`
	Pointer string `json:"pointer"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

type problemDocument struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Severity hosts.Severity `json:"severity"`
	Host     string         `json:"host"`
	Server   string         `json:"server,omitempty"`
	File     string         `json:"file"`
	Line     int            `json:"line,omitempty"`
	Column   int            `json:"column,omitempty"`
	Pointer  string         `json:"pointer,omitempty"`
	Message  string         `json:"message"`
}

func problemDocuments(problems []hosts.Problem) []problemDocument {
	out := make([]problemDocument, 0, len(problems))
	for _, q := range problems {
		out = append(out, problemDocument{
			ID: q.ID, Name: q.Slug(), Severity: q.Severity, Host: q.Host, Server: q.Server, File: q.File, Line: q.Line, Column: q.Column,
			Pointer: q.Pointer, Message: q.Message,
		})
	}
	return out
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
	d := serversDocument{Servers: []serverDocument{}, Problems: problemDocuments(c.Problems), Files: []fileDocument{}}
	for _, f := range c.Files {
		d.Files = append(d.Files, fileDocument(f))
	}
	for _, s := range c.Servers {
		l := s.Written.Redacted()
		d.Servers = append(d.Servers, serverDocument{
			ID: s.ID(), Host: s.Host, Name: s.Name, Scope: s.Scope, Project: s.Project, State: ServerState(c, s), Effective: s.Effective,
			Disabled: s.Disabled, Wrapped: s.Wrapped, Transport: s.Transport, Command: l.Command, Args: l.Args, Cwd: l.Dir,
			Env: fieldsDocument(l.Env), EnvFile: l.EnvFile, URL: l.URL, Headers: fieldsDocument(l.Headers), TimeoutMS: s.Timeout.Milliseconds(),
			Source:   sourceDocument{s.Source.File, string(s.Source.Format), s.Source.Pointer, s.Source.Line, s.Source.Column},
			Problems: problemDocuments(s.Problems),
		})
	}
	return p.PrintDocument(d)
}
