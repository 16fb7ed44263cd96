// Package hosts finds the MCP servers that are configured in other applications, the hosts: editors, desktop
// applications and command line programs.
//
// [Discover] reads the configuration files of all known hosts and reports the servers, which of them a host
// uses, and the problems of each. It only reads files: it starts no process, resolves no host name, and
// evaluates no command. A [Machine] describes the computer, so that the files of another system can be
// examined, too.
//
// Values are reported as written. A caller that shows or stores them must redact them: [Server.Redacted].
//
// A new host is a row of hosts.jsonl with a row for each of its files below it, and a row of dialects.jsonl if
// its files have their own form. Then run go test ./client/hosts -run TestDocs -update, which writes the tables
// of docs/hosts.md.
package hosts
