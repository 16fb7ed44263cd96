package argument_test

import (
	"strings"
	"testing"

	"mcptea/internal/shell"
	"mcptea/internal/system/argument"
)

// Each program that reads code is known by each of its names: the list is not that of the code, so that one that is
// lost there is noticed.
func TestLine_CodeOfEachProgram(t *testing.T) {
	for option, names := range map[string]string{
		"-c": "sh bash dash zsh ksh mksh ash yash rbash fish csh tcsh nu python python3 pypy ipython pythonw vim vi nvim ex view su runuser script flock npx npm pnpm psql xterm",
		"-e": "node nodejs bun tsx ts-node perl raku ruby jruby lua luajit rscript r julia groovy scala elixir osascript ghc swipl guile clojure erl sed gsed mysql mariadb",
		"-r": "php", "--source": "awk gawk mawk nawk", "--eval": "emacs emacsclient", "-ex": "gdb", "-o": "lldb", "-S": "env", "/c": "cmd", "/k": "cmd", "-Command": "powershell pwsh",
		"-x": "ssh rsh tmux screen watch make gmake parallel entr wsl sqlite3 duckdb",
	} {
		for name := range strings.FieldsSeq(names) {
			if _, err := argument.NewLine([]string{name, option, "{tool}"}, nil); err == nil {
				t.Errorf("%s %s {tool} is taken", name, option)
			}
			if joined := option + "{tool}"; option == "-e" {
				if _, err := argument.NewLine([]string{name, joined}, nil); err == nil {
					t.Errorf("%s %s is taken", name, joined)
				}
			}
		}
	}
	if _, err := argument.NewLine([]string{"busybox", "sh", "-c", "{tool}"}, nil); err == nil {
		t.Error("busybox sh -c {tool} is taken")
	}
	// The argument of an option is not the script, so the word after it is.
	for line := range strings.Lines(`sh -o x {tool}
sh +o x {tool}
bash -O x {tool}
bash +O x {tool}
bash --rcfile x {tool}
bash --init-file x {tool}
sh - {tool}
node -r x {tool}
node --require x {tool}
node --import x {tool}
node --loader x {tool}
node --experimental-loader x {tool}
node -C x {tool}
node --conditions x {tool}
node --env-file x {tool}
python -W x {tool}
python -X x {tool}
perl -I x {tool}
ruby -r x {tool}
ruby -I x {tool}
ruby -C x {tool}
php -d x {tool}
php -c x {tool}
php -z x {tool}
awk -F x {tool}
awk -v x {tool}
awk --assign x {tool}`) {
		if _, err := argument.NewLine(strings.Fields(line), nil); err == nil {
			t.Errorf("%s is taken", strings.TrimSpace(line))
		}
		if _, err := argument.NewLine(append(strings.Fields(line)[:len(strings.Fields(line))-1], "script", "{tool}"), nil); err != nil {
			t.Errorf("%s after a script: %v", strings.TrimSpace(line), err)
		}
	}
}

func noVariables(string) (string, bool) { return "", false }

// A hole in a word that is read as code is refused with a form that works; the same value as an argument of
// the code, in the environment or for another program is not.
func TestLine_Code(t *testing.T) {
	for _, line := range []string{
		`sh -c 'echo {tool}'`, `sh -c {tool}`, `/bin/sh -c 'a; echo x{tool}y'`, `bash -lc 'echo {tool}'`, `bash -euo pipefail -c 'x {tool}'`,
		`bash -c -l 'echo {tool}'`, `bash --norc -c 'echo {tool}' sh`, `bash -o pipefail -c '{tool}'`, `zsh -ic 'x {tool}'`, `dash -ec "{tool}"`,
		`sh {frame}`, `bash --rcfile {frame}`, `sh -- {frame}`, `sh -x {frame}`, `bash-5.2 -c {tool}`, `SH.EXE -c {tool}`,
		`fish --command 'x {tool}'`, `fish --command=x{tool}`, `busybox sh -c {tool}`, `BASH -c {tool}`,
		`bash --rcfile x.rc {frame}`, `bash +o posix {frame}`, `awk -v a=b {tool}`, `gdb -ex a -ex {tool}`, `vim -c a --cmd {tool}`,
		`node -e 'f("{tool}")'`, `node --eval {tool}`, `node --eval={tool}`, `node -p {tool}`, `node -pe {tool}`, `node -r ./x.js -e {tool}`,
		`node {frame}`, `node --import {frame} a.js`, `nodejs -e 1 -e {tool}`, `bun -e {tool}`, `deno eval {tool}`, `tsx -e {tool}`, `node20 -e {tool}`,
		`python -c 'print("{tool}")'`, `python3 -c {tool}`, `python3.12 -Ic {tool}`, `/usr/bin/python3 -W error -c {tool}`, `pypy3 -c {tool}`, `python3 {request}`,
		`perl -e '{tool}'`, `perl -ne 'x {tool}'`, `perl -E {tool}`, `perl -e 1 -e {tool}`, `perl -M{tool} x.pl`, `ruby -e {tool}`, `ruby -ne {tool}`,
		`php -r {tool}`, `php --run {tool}`, `php -B 1 -R {tool}`, `lua -e {tool}`, `Rscript -e {tool}`, `osascript -e 'say "{tool}"'`, `awk '/{tool}/'`, `awk -F : '/{tool}/ {{print}'`, `gawk --source {tool}`,
		`sed s/a/{tool}/`, `sed -e s/a/{tool}/`, `sed -n -e p -e {tool}p`,
		`cmd /c echo {tool}`, `cmd.exe /S /C "echo {tool}"`, `cmd /c x.bat a {tool}`, `x.bat {tool}`, `C:\t\x.CMD a {tool}`,
		`powershell -Command {tool}`, `powershell.exe -NoProfile -c "x" {tool}`, `pwsh -EncodedCommand {id}`, `pwsh -File {frame}`,
		`env sh -c {tool}`, `env A=b bash -lc 'x {tool}'`, `env -S 'sh -c {tool}'`, `env --split-string={tool}`, `xargs sh -c 'echo {tool}'`, `xargs -I % bash -c '% {tool}'`,
		`sudo -u x sh -c {tool}`, `timeout 5 sh -c {tool}`, `nice -n 5 python -c {tool}`, `find . -exec sh -c 'x {tool}' ;`, `docker exec c sh -c {tool}`, `setsid nohup bash -c {tool}`,
		`ssh host 'ls {dir}'`, `ssh host ls {dir}`, `ssh -p 22 host {tool}`, `su -c 'x {tool}' u`, `su u -c {tool}`, `script -qc 'x {tool}' /dev/null`, `flock f -c {tool}`, `runuser -u x -c {tool}`,
		`tmux new-window 'x {tool}'`, `tmux display-message {tool}`, `watch 'x {tool}'`, `watch x {tool}`, `make NAME={tool}`, `npx -c 'x {tool}'`, `parallel x {tool} ::: a`, `entr -s 'x {tool}'`,
		`docker -c x sh -c {tool}`, `vim -c 'e {uri}'`, `nvim --cmd {tool}`, `emacs --eval '(x "{tool}")'`, `gdb -ex 'attach {pid}'`, `psql -c 'select {tool}'`, `mysql -e {tool}`, `sqlite3 db 'select {tool}'`,
	} {
		split, err := shell.Split(line, noVariables)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := argument.NewLine(split, nil); err == nil || !strings.Contains(err.Error(), "not your own text") {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range []string{
		`sh -c 'echo "$1"' sh {tool}`, `bash -lc 'echo "$1"' bash {tool} {dir}`, `bash -euo pipefail -c 'x "$1"' sh {tool}`, `sh x.sh {tool}`, `sh -x x.sh -c {tool}`, `sh -- x.sh {tool}`,
		`node -e 'console.log(process.argv[1])' {tool}`, `node x.js {tool}`, `node x.js -e {tool}`, `node -r ./x.js y.js {tool}`, `node -e x -- {tool}`,
		`python3 -c 'import sys; print(sys.argv[1])' {tool}`, `python3 -m json.tool {frame}`, `python3 manage.py -c {tool}`, `perl -e 'print $ARGV[0]' {tool}`, `ruby -e 'puts ARGV[0]' {tool}`, `php -r 'echo $argv[1];' {tool}`,
		`awk 'BEGIN {{ print ARGV[1] }' {tool}`, `sed -n p {frame}`, `env VALUE={tool} sh -c 'echo "$VALUE"'`, `pwsh -File x.ps1 {tool}`,
		`git log -S{tool} -- src`, `jq . {frame}`, `code --goto {frame}`, `gh issue create --title {tool}`, `grep -c {tool} x`, `vim {frame}`, `docker run img x {tool}`, `npx -y pkg {tool}`, `kill {pid}`, `cat {frame}`, `sh -c 'echo a'`,
	} {
		split, err := shell.Split(line, noVariables)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := argument.NewLine(split, nil); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for line, want := range map[string]string{
		`sh -c 'echo {tool}'`: `sh reads the word with {tool} as code, but the value is not your own text; use sh -c 'echo "$1"' sh {tool}`,
		`python -c {uri}`:     `use python3 -c 'import sys; print(sys.argv[1])' {uri}`,
		`ssh host {dir}`:      `ssh reads the word with {dir} as code, but the value is not your own text; use a script of your own`,
	} {
		split, _ := shell.Split(line, noVariables)
		if _, err := argument.NewLine(split, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	for _, line := range argument.Evals() {
		for _, before := range [][]string{nil, {"env"}, {"sudo", "-u", "x"}, {"xargs"}, {"cmd"}, {"bun", "a.js"}} {
			if _, err := argument.NewLine(append(before[:len(before):len(before)], line...), nil); err == nil {
				t.Errorf("%q after %q", line, before)
			}
		}
	}
	if _, err := argument.NewLine([]string{"pwsh", "-File"}, nil); err != nil {
		t.Error(err)
	}
	for _, form := range argument.Forms("tool") { // each form that is proposed is one that is taken
		split, err := shell.Split(form, noVariables)
		if err != nil {
			t.Fatal(err)
		}
		if line, err := argument.NewLine(split, nil); err != nil || len(line.Holes()) != 1 {
			t.Errorf("%s: %v", form, err)
		}
	}
}
