package hosts

import (
	"path"
	"slices"
	"strings"

	"mcptea/client/hosts/syntax"
)

// interpreters take the file of a script as their first argument.
var interpreters = []string{"node", "python", "python3", "bun", "deno", "bash", "sh", "ruby", "php", "tsx", "ts-node"}

// launchers are programs at the start of command lines that start another program.
var launchers = append([]string{"npx", "npm", "uvx", "uv", "docker", "podman", "pnpm", "yarn", "bunx", "go", "java", "dotnet", "cmd"}, interpreters...)

// checkCommand examines the command of a stdio server.
func (e *entry) checkCommand() {
	command := e.Expanded.Command
	if command == "" {
		return
	}
	var line, args []value
	for _, v := range e.values {
		switch v.role {
		case "command":
			line = append(line, v)
		case "args":
			args = append(args, v)
		}
	}
	if len(line) == 0 {
		return
	}
	at := line[0].Node
	e.checkProgram(at, command)
	e.checkArgs(command, args)
	e.checkDirs()
	switch name := program(command); name {
	case "npx", "npm":
		e.checkNpx(at, name)
	case "wsl":
		e.checkWSL()
	case "docker", "podman", "nerdctl", "kubectl":
		e.checkContainer(at, name)
	}
}

// checkProgram examines the program itself.
func (e *entry) checkProgram(at *syntax.Node, command string) {
	m, host := e.file.machine, e.file.host.Name
	first, _, spaced := strings.Cut(command, " ")
	_, known := m.LookPath(first)
	switch {
	case hasReference(command):
	case spaced && !m.Exists(command) && (known || slices.Contains(launchers, first)):
		e.report("F044", Error, at, `"command" is a whole command line. %s does not split it: put %q in "command" and the rest in "args".`, host, first)
	case strings.HasPrefix(command, "~/"):
		e.report("F049", Warning, at, "%q is passed literally: %s starts servers without a shell. Write the whole path.", command, host)
	case strings.ContainsAny(command, m.slashes()), WindowsPath(command):
		e.checkPath(at, command)
	default:
		file, ok := m.LookPath(command)
		switch lower := strings.ToLower(file); {
		case !ok:
			e.report("F043", Error, at, "Command %q is not on PATH. Install it or write its path; %s may have another PATH.", command, host)
		case m.OS == "windows" && !e.file.dialect.ResolvesCmd && (strings.HasSuffix(lower, ".cmd") || strings.HasSuffix(lower, ".bat")):
			e.report("F048", Warning, at, `%q is a .cmd file on Windows. Use "command": "cmd", "args": ["/c", %q, …].`, command, command)
		}
	}
}

// base returns the directory against which relative paths of the entry are resolved, or "" if unknown.
func (e *entry) base() string {
	m := e.file.machine
	switch {
	case m.isAbs(e.Expanded.Dir):
		return e.Expanded.Dir
	case e.Project != "":
		return e.Project
	case e.file.inProject():
		return m.Project
	case e.file.named:
		return m.Dir
	}
	return ""
}

// checkPath reports a path that is relative, or that does not exist.
func (e *entry) checkPath(at *syntax.Node, file string) {
	m := e.file.machine
	if hasReference(file) {
		return
	}
	if m.OS != "windows" && WindowsPath(file) {
		e.report("F046", Error, at, "%q is a Windows path, and this machine does not run Windows. Write the program or file of this machine.", file)
		return
	}
	if !m.isAbs(file) {
		base := e.base()
		if base == "" {
			where := e.file.dialect.AnyDir
			if where == "" {
				where = "an undefined directory"
			}
			e.report("F045", Warning, at, "%q is relative; %s starts servers in %s. Use an absolute path.", file, e.file.host.Name, where)
			return
		}
		file = m.join(base, file)
	}
	if strings.Contains(file, "/../") || strings.Contains(file, `\..\`) {
		file = path.Clean(strings.ReplaceAll(file, `\`, "/"))
		file = strings.ReplaceAll(file, "/", m.separator())
	}
	if !m.Exists(file) {
		e.report("F046", Error, at, "%q does not exist. Correct the path.", file)
	}
}

// checkArgs examines the arguments.
func (e *entry) checkArgs(command string, args []value) {
	name := strings.TrimRight(program(command), ".0123456789")
	if program(command) == "python3" {
		name = "python"
	}
	script := slices.Contains(interpreters, name)
	for i, v := range args {
		text := e.expanded("args", v.Text)
		word := strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(text, "~/"):
			e.report("F049", Warning, v.Node, "%q is passed literally: %s starts servers without a shell. Write the whole path.", text, e.file.host.Name)
			script = false
		case slices.Contains([]string{"|", "||", ">", ">>", "<", "&&", "*"}, word) && (i == 0 || args[i-1].Text != "-c" && args[i-1].Text != "/c"):
			e.report("F049", Warning, v.Node, "%q is passed literally: %s starts servers without a shell. Use a script.", word, e.file.host.Name)
		case script && slices.Contains([]string{"-m", "-c", "-e", "-p", "--eval", "--print", "-lc", "-ic"}, text):
			script = false
		case strings.HasPrefix(text, "-"):
		case script && i == 0 && text == "run":
		case script && (path.Ext(text) != "" || strings.ContainsAny(text, e.file.machine.slashes())):
			e.checkPath(v.Node, text)
			script = false
		case strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../"):
			if e.base() == "" {
				e.checkPath(v.Node, text)
			}
			script = false
		default:
			script = false
		}
	}
}

// checkDirs examines the working directory and the file of variables.
func (e *entry) checkDirs() {
	for _, v := range e.values {
		switch {
		case v.role == "cwd" && e.Expanded.Dir != "" && e.Expanded.Dir != ".", v.role == "envFile" && e.Expanded.EnvFile != "":
			file := e.Expanded.Dir
			if v.role == "envFile" {
				file = e.Expanded.EnvFile
			}
			if strings.HasPrefix(file, "~/") {
				e.report("F049", Warning, v.Node, "%q is passed literally: %s starts servers without a shell. Write the whole path.", file, e.file.host.Name)
				continue
			}
			e.checkPath(v.Node, file)
		}
	}
}

// argsPlace returns the place of problems of the arguments as a whole.
func (e *entry) argsPlace(command *syntax.Node) *syntax.Node {
	if args := e.mapped["args"]; args != nil {
		return args
	}
	return command
}

// checkNpx reports npx without consent to install.
func (e *entry) checkNpx(at *syntax.Node, name string) {
	args := e.Expanded.Args
	if name == "npm" {
		if len(args) == 0 || args[0] != "exec" && args[0] != "x" {
			return
		}
		args = args[1:]
	}
	pkg := ""
	for _, a := range args {
		switch {
		case a == "-y" || a == "--yes" || a == "--yes=true":
			return
		case a == "--no" || a == "--no-install":
			return
		case pkg == "" && !strings.HasPrefix(a, "-"):
			pkg = a
		}
	}
	m := e.file.machine
	if pkg != "" && !strings.ContainsAny(pkg, "@/") && m.Exists(m.join(m.Project, "node_modules/.bin/"+pkg)) {
		return
	}
	at = e.argsPlace(at)
	e.report("F047", Info, at, `%q without "-y" asks before it installs when stdin is a terminal. Add "-y" so that it behaves the same everywhere.`, name)
}
