package hosts

import (
	"slices"
	"strings"

	"mcptea/client/hosts/syntax"
)

// containers maps the programs that run a command in a container to their verbs that connect stdin only if an
// option requests it.
var containers = map[string][]string{
	"docker": {"run", "exec", "start"}, "podman": {"run", "exec", "start"}, "nerdctl": {"run", "exec", "start"}, "kubectl": {"run", "exec", "attach"},
}

// containerBooleans are the options without a value, before the verb and after it.
var containerBooleans = []string{
	"--rm", "--init", "--interactive", "--stdin", "--tty", "--privileged", "--read-only", "--detach", "--no-healthcheck", "--publish-all", "--quiet",
	"--oom-kill-disable", "--sig-proxy", "--disable-content-trust", "--use-api-socket", "--replace", "--no-hosts", "--http-proxy", "--rootfs", "--latest",
	"--debug", "--tls", "--tlsverify", "--remote", "--insecure-registry", "--experimental", "--noout", "--syslog",
}

// prefixes are programs that run the command that follows.
var prefixes = []string{"sudo", "doas", "env", "nice", "nohup", "time", "exec"}

// container describes the streams of a container that a command line starts.
type container struct {
	command    string // the program and the verb: "docker run"
	stdin, tty bool
}

// ContainerWithoutStdin returns the program and the verb of a command that runs a server in a container
// without its stdin: "docker run". ok is false for any other command.
func ContainerWithoutStdin(argv []string) (what string, ok bool) {
	c, ok := containerOf(argv)
	return c.command, ok && !c.stdin
}

// Container returns the program and the verb of a command that runs a server in a container, or "".
func Container(argv []string) string {
	c, _ := containerOf(argv)
	return c.command
}

// containerOf reads a command line. ok is false for one that runs no container.
func containerOf(argv []string) (c container, ok bool) {
	for len(argv) > 1 && slices.Contains(prefixes, program(argv[0])) {
		argv = argv[1:]
		for len(argv) > 1 && (strings.HasPrefix(argv[0], "-") || strings.Contains(argv[0], "=")) {
			argv = argv[1:]
		}
	}
	if len(argv) == 0 {
		return container{}, false
	}
	return readContainer(program(argv[0]), argv[1:])
}

// readContainer reads the arguments of a program that runs containers.
func readContainer(name string, args []string) (c container, ok bool) {
	verbs := containers[name]
	args = afterOptions(args)
	if len(args) > 1 && args[0] == "container" {
		args = afterOptions(args[1:])
	}
	if len(args) == 0 || !slices.Contains(verbs, args[0]) {
		return container{}, false
	}
	c.command = name + " " + args[0]
	skip, short := false, "itdPq"
	if args[0] == "start" {
		short += "a" // in docker run, -a takes a value
	}
	for _, a := range args[1:] {
		switch {
		case skip:
			skip = false
			continue
		case a == "--":
		case strings.HasPrefix(a, "--"):
			c.stdin = c.stdin || isOn(a, "--interactive") || isOn(a, "--stdin")
			c.tty = c.tty || isOn(a, "--tty")
			skip = takesValue(a) && !(args[0] == "start" && a == "--attach")
			continue
		case strings.HasPrefix(a, "-") && len(a) > 1 && strings.Trim(a[1:], short) == "":
			c.stdin = c.stdin || strings.Contains(a, "i")
			c.tty = c.tty || strings.Contains(a, "t")
			continue
		case strings.HasPrefix(a, "-"):
			skip = len(a) == 2
			continue
		case name == "kubectl": // options may follow the name of the pod, up to "--"
			continue
		}
		break
	}
	return c, true
}

// afterOptions returns the words from the verb on, without the options before it.
func afterOptions(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		skip := takesValue(args[0])
		if !strings.HasPrefix(args[0], "--") {
			skip = len(args[0]) == 2 && !slices.Contains([]string{"-D", "-v"}, args[0])
		}
		if args = args[1:]; skip && len(args) > 0 {
			args = args[1:]
		}
	}
	return args
}

func takesValue(option string) bool {
	return !strings.Contains(option, "=") && !slices.Contains(containerBooleans, option)
}

func isOn(arg, option string) bool { return arg == option || arg == option+"=true" }

// checkContainer reports containers without stdin, or with a terminal.
func (e *entry) checkContainer(at *syntax.Node, name string) {
	c, ok := readContainer(name, e.Expanded.Args)
	at = e.argsPlace(at)
	switch {
	case !ok:
	case !c.stdin:
		e.report("F050", Error, at, `"%s" without "-i" closes stdin, so the server exits immediately. Add "-i".`, c.command)
	case c.tty:
		e.report("F050", Error, at, `"%s -t" allocates a terminal, which changes the bytes. Remove "-t".`, c.command)
	}
}
