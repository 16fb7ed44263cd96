// Package script runs scripts against servers: requests, and expectations of their responses. docs/script.md
// describes the language.
//
// A script is a txtar archive. Its comment has one command per line, its files are JSON values or texts that
// commands name as @FILE. [Parse] finds every mistake that needs no server; [Runner.Run] executes a script
// and reports the first failure of each section. A command is a row in the table of commands and a function.
package script
