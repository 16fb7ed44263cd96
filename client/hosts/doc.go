// Package hosts finds the MCP servers that are configured in other applications,
// the hosts: editors, desktop applications and command line programs.
//
// [Discover] reads the configuration files of all known hosts and reports the
// servers, which of them a host uses, and the problems of each. It reads files and
// nothing else: it starts no process, resolves no host name, and evaluates no
// command. What it needs to know about the computer is in a [Machine], so that the
// files of another system can be examined as well.
//
// Values are reported as they are written. A caller that shows or stores them
// redacts them: [Server.Redacted].
//
// A new host is a row of hosts.jsonl with a row for each of its files below it, and a row of
// dialects.jsonl if its files have a form of their own. Then go test ./client/hosts -run TestDocs
// -update writes the tables of docs/hosts.md.
package hosts
