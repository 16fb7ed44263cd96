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
package hosts
