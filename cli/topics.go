package cli

import (
	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/session/intercept"
)

// variables lists the environment variables that mcptea reads.
var variables = [][2]string{
	{settings.TokenVariable, "bearer token, as --token"},
	{settings.SecretVariable, "client secret, as --client-secret"},
	{settings.IDPVariable, "client secret at the identity provider, for --grant enterprise"},
	{settings.StoreVariable, "where to keep tokens, as --token-store"},
	{"MCPTEA_CACERT", "file with authorities to trust, as --cacert"},
	{"MCPTEA_CERT, MCPTEA_KEY", "files of the client certificate and its key, as --cert and --key"},
	{"SSL_CERT_FILE, SSL_CERT_DIR", "files with authorities, as in other programs: they replace the authorities of the system; on macOS and Windows, they add to them"},
	{"MCPTEA_CLIENT_KEY_ID", "ID of the key of --client-key, as --client-key-id"},
	{"MCPTEA_INPUT_ID", "value of the input ID of a server's entry, as --input ID=VALUE"},
	{"MCPTEA_CONFIG", "configuration file, as --config; \"off\" reads none"},
	{"MCPTEA_THEME", "color theme, as --theme"},
	{"MCPTEA_MOUSE", "whether the inspector handles the mouse, as --mouse"},
	{"MCPTEA_RECORD", "file of the recording or \"off\", as --record"},
	{"MCPTEA_RECORD_LIMIT", "maximum size of the recording, as --record-limit"},
	{"MCPTEA_TIMEOUT", "maximum time without a response, as --timeout"},
	{"MCPTEA_CONNECT_TIMEOUT", "the same while connecting, as --connect-timeout"},
	{"MCPTEA_AUTH_TIMEOUT", "maximum time to wait for consent, as --auth-timeout"},
	{"NO_COLOR", "if set, the inspector uses the monochrome theme"},
	{"XDG_CONFIG_HOME", "directory of mcptea/config.yaml (default ~/.config)"},
	{"XDG_STATE_HOME", "directory of recordings and tokens (default ~/.local/state)"},
	{"VISUAL, EDITOR", "editor that the inspector opens"},
	{"BROWSER", "browser that opens pages: commands, separated by colons; the first that runs is used"},
	{"LC_ALL, LC_CTYPE, LANG", "a locale other than UTF-8 turns on --ascii"},
}

var exitCodes = [][2]string{
	{"0", "success"},
	{"1", "error response, tool error, or failed check"},
	{"2", "wrong usage, even if only the server's schemas reveal it"},
	{"3", "cannot connect"},
	{"4", "authorization required or failed"},
	{"5", "nothing failed, but a part of a check could not be done"},
	{"126, 127", "tap: the command of the server is not executable, or not found; otherwise tap has the exit code of the server"},
	{"130", "interrupted; other signals: 128 plus the number of the signal"},
}

// files lists the files that mcptea reads and writes.
var files = [][2]string{
	{"$XDG_CONFIG_HOME/mcptea/config.yaml", "settings, key bindings, servers and commands of your own"},
	{"$XDG_CONFIG_HOME/mcptea/themes", "themes of your own"},
	{"$XDG_STATE_HOME/mcptea", "recordings, history, tokens without a keyring, and the entries that servers wrap has changed"},
}

// addTopics adds the pages of the help that do not belong to a command.
func (p *program) addTopics(root *cobra.Command) {
	page := func(name, short, long string) {
		root.AddCommand(&cobra.Command{
			Use: name, Short: short, Long: long, Annotations: map[string]string{topic: name}, Hidden: true,
			Args: cobra.ArbitraryArgs,
		})
	}
	page(app.TopicFlags, "Flags of the inspector", "Flags of the inspector (mcptea TARGET), and of all commands with a TARGET, if they apply. mcptea COMMAND --help prints only the flags of the command.")
	page("environment", "Environment variables", "Environment variables\n\n"+app.HelpTable(variables)+
		"\nA flag overrides its variable, and a variable overrides the configuration file. Variables whose names begin with MCPTEA_ and that hold a secret are not passed on to servers, except with -e NAME.")
	page("exit-codes", "Exit codes", "Exit codes\n\n"+app.HelpTable(exitCodes))
	page("file-paths", "Files of mcptea", "Files\n\n"+app.HelpTable(files)+"\nThe default of XDG_CONFIG_HOME is ~/.config, and of XDG_STATE_HOME ~/.local/state. mcptea config path prints the path of the settings.")
	page("faults", "Faults", `Faults change messages on purpose, to find out what a client or a server does then: --fault NAME[=ARG][@PROBABILITY][,tool=NAME][,method=NAME]. The probability is a number over 0 and up to 1, or a percentage; --seed makes the choice repeatable. tool=NAME applies the fault to calls of one tool, method=NAME to messages of a method other than tools/call; * at the end of a name stands for any rest. Several faults can be combined. Faults of HTTP do not reach the server.

`+faultTable())
}

// faultTable returns the faults as a table.
func faultTable() string {
	var rows, inPlace [][2]string
	for _, k := range intercept.FaultKinds() {
		name := k.Name
		if k.Arg != "" {
			name += "=" + k.Arg
		}
		if k.InPlace {
			inPlace = append(inPlace, [2]string{name, k.Summary})
			continue
		}
		rows = append(rows, [2]string{name, k.Summary})
	}
	return app.HelpTable(rows) + "\nInstead of a response to a tool call:\n" + app.HelpTable(inPlace)
}
