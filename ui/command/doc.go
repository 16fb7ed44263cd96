// Package command is the table of what the user can do: commands named for what
// they do, with their keys, labels, sentences and the contexts in which they work.
//
// Keys, the footer, the window of commands, docs/keys.md and the key map of
// config.yaml come from this table; nothing else binds a key. The package knows
// neither panes nor how a command is carried out.
package command
