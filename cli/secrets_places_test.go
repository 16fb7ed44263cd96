//go:build unix

package cli

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/cli/app"
	"mcptea/internal/test/raced"
)

// encodedMark are the forms in which a server repeats a value, by their names: none may be left anywhere.
func encodedMark(mark string) map[string]string {
	forms := map[string]string{
		"plain": mark, "upper case": strings.ToUpper(mark), "lower case": strings.ToLower(mark),
		"hexadecimal": hex.EncodeToString([]byte(mark)), "HEXADECIMAL": strings.ToUpper(hex.EncodeToString([]byte(mark))),
		"percent": eachByte(mark, "%%%02X"), "percent in lower case": eachByte(mark, "%%%02x"), "\\u": eachByte(mark, `\u%04x`),
	}
	for shift, before := range []string{"", "u", "us"} {
		text := base64.StdEncoding.EncodeToString([]byte(before + mark))
		forms[fmt.Sprint("Base64 ", shift)] = text[4 : len(text)-4] // the middle, which has bits of the value alone
	}
	return forms
}

func eachByte(text, format string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, format, text[i])
	}
	return b.String()
}

// echo are lines in which a server repeats a value: in each form, and in two pieces.
func echo(mark string) string {
	var b strings.Builder
	for name, text := range encodedMark(mark) {
		if !strings.HasPrefix(name, "Base64") { // which are whole below
			fmt.Fprintf(&b, "Error: bad key <%s> in config\n", text)
		}
	}
	for _, before := range []string{"", "u", "us"} {
		fmt.Fprintf(&b, "Error: bad credentials %s, %s\n", base64.StdEncoding.EncodeToString([]byte(before+mark)), base64.RawURLEncoding.EncodeToString([]byte(before+mark+"??>")))
	}
	fmt.Fprintf(&b, "{\"level\":\"error\",\"msg\":\"bad \\\"%s\\\"\"}\n", eachByte(mark, `\u%04x`))
	fmt.Fprintf(&b, "Error: bad key %s\n%s\n", mark[:10], mark[10:])
	return b.String()
}

// placeOfSecret is a place that a value of the user can be in.
type placeOfSecret struct {
	name  string
	web   bool // else a command
	entry func(r *secretRig, ref string) map[string]any
	flags []string // besides the entry
	env   string   // the variable that has the value; that of the input if empty
	file  bool     // the value is in the file of --env-file
}

// The values of places without an entry of their own come from a flag or a variable.
var placesOfSecrets = []placeOfSecret{
	{name: "path of a URL", web: true, entry: func(r *secretRig, ref string) map[string]any { return r.at("/" + ref + "/mcp") }},
	{name: "query", web: true, entry: func(r *secretRig, ref string) map[string]any { return r.at("/mcp?x=" + ref) }},
	{name: "host", web: true, entry: func(_ *secretRig, ref string) map[string]any {
		return map[string]any{"type": "http", "url": "http://" + ref + ".invalid/mcp"}
	}},
	{name: "user information", web: true, entry: func(r *secretRig, ref string) map[string]any {
		return map[string]any{"type": "http", "url": strings.Replace(r.server.URL, "://", "://u:"+ref+"@", 1) + "/mcp"}
	}},
	{name: "fragment", web: true, entry: func(r *secretRig, ref string) map[string]any { return r.at("/mcp#x=" + ref) }},
	{name: "header", web: true, entry: func(r *secretRig, ref string) map[string]any {
		e := r.at("/mcp")
		e["headers"] = map[string]any{"X-Acct": "acct " + ref}
		return e
	}},
	{name: "token", web: true, env: "MCPTEA_TOKEN", entry: func(r *secretRig, _ string) map[string]any { return r.at("/mcp") }},
	{
		name: "client secret", web: true, env: "MCPTEA_CLIENT_SECRET", flags: []string{"--client-id", "client", "--grant", "client-credentials"},
		entry: func(r *secretRig, _ string) map[string]any { return r.at("/mcp") },
	},
	{name: "environment", entry: func(r *secretRig, ref string) map[string]any {
		e := r.command("sh")
		e["env"] = map[string]any{"ACCT": ref, "DSN": "db://u:" + ref + "@h/x"}
		return e
	}},
	{name: "argument", entry: func(r *secretRig, ref string) map[string]any { return r.command("sh", ref, "--acct="+ref) }},
	{name: "path of the command", entry: func(r *secretRig, ref string) map[string]any { return r.command(r.dir + "/" + ref + "/sh") }},
	{name: "working directory", entry: func(r *secretRig, ref string) map[string]any {
		e := r.command("sh")
		e["cwd"] = r.dir + "/" + ref
		return e
	}},
	{name: "file of variables", file: true, entry: func(r *secretRig, _ string) map[string]any { return r.command("sh") }},
}

// secretRig is a value in a place, a server that repeats it, and what has been printed and written.
type secretRig struct {
	t     *testing.T
	dir   string
	state string
	mark  string
	place placeOfSecret
	env   app.Env
	flags []string

	server *httptest.Server
	answer string // how the server over HTTP answers
	fails  bool   // the command ends at once
}

func (r *secretRig) at(path string) map[string]any {
	return map[string]any{"type": "http", "url": r.server.URL + path}
}

// command is a server that writes to stderr what is in a file.
func (r *secretRig) command(program string, args ...string) map[string]any {
	script := "cat '" + r.dir + "/echo' >&2; exec mcptea demo --serve"
	if r.fails {
		script = "cat '" + r.dir + "/echo' >&2; exit 3"
	}
	return map[string]any{"type": "stdio", "command": program, "args": append([]string{"-c", script, "sh"}, args...)}
}

// The answers of the server over HTTP.
var answersWithSecret = []string{"404", "401", "500", "redirect", "HTML", "error response", "no message"}

// answersInFrames are recorded as frames, which are exact, also where they are no messages.
var answersInFrames = []string{"HTML", "error response", "no message"}

func (r *secretRig) serve(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body) // what has come is enough
	text := echo(r.mark)
	own := r.server.URL
	respond := func(status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	switch path := q.URL.Path; {
	case strings.HasPrefix(path, "/.well-known/oauth-protected-resource") && r.place.name == "client secret":
		respond(200, map[string]any{"resource": own + "/mcp", "authorization_servers": []string{own}})
	case strings.HasPrefix(path, "/.well-known/oauth-authorization-server") && r.place.name == "client secret":
		respond(200, map[string]any{"issuer": own, "token_endpoint": own + "/token", "authorization_endpoint": own + "/authorize", "grant_types_supported": []string{"client_credentials"}, "response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}})
	case path == "/token":
		respond(400, map[string]any{"error": "invalid_client", "error_description": text})
	case strings.HasPrefix(path, "/.well-known/"):
		w.Header().Set("X-Debug", r.mark)
		http.Error(w, "nothing at "+path+" "+text, http.StatusNotFound)
	case r.place.name == "client secret":
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+own+`/.well-known/oauth-protected-resource/mcp"`)
		http.Error(w, text, http.StatusUnauthorized)
	case r.answer == "redirect":
		w.Header().Set("Location", "http://127.0.0.1:1/"+url.PathEscape(r.mark)+"?again="+encodedMark(r.mark)["percent"])
		w.WriteHeader(http.StatusTemporaryRedirect)
	case r.answer == "HTML":
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<p>"+text+"</p>")
	case r.answer == "error response":
		var request struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(body, &request)
		respond(200, map[string]any{"jsonrpc": "2.0", "id": request.ID, "error": map[string]any{"code": -32603, "message": "bad key " + text, "data": text}})
	case r.answer == "no message":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	case r.answer == "401":
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", error_description="`+r.mark+" "+encodedMark(r.mark)["hexadecimal"]+`"`)
		http.Error(w, text, http.StatusUnauthorized)
	case r.answer == "500":
		http.Error(w, text, http.StatusInternalServerError)
	default:
		w.Header().Set("X-Debug", r.mark)
		http.Error(w, text, http.StatusNotFound)
	}
}

// newSecretRig writes the files of a place whose value is not like that of another one.
func newSecretRig(t *testing.T, n int, place placeOfSecret, answer string, fails bool) *secretRig {
	t.Helper()
	r := &secretRig{t: t, dir: t.TempDir(), state: t.TempDir(), mark: fmt.Sprintf("qz%02dvXw-Kp7yR%02dtm", n, n), place: place, answer: answer, fails: fails}
	r.server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.server.Close)
	entry := place.entry(r, "${input:k}")
	config, err := json.Marshal(map[string]any{"inputs": []any{map[string]any{"id": "k", "type": "promptString", "password": true}}, "servers": map[string]any{"s": entry}})
	if err != nil {
		t.Fatal(err)
	}
	r.write("mcp.json", string(config))
	r.write("echo", echo(r.mark))
	if err := os.Mkdir(filepath.Join(r.dir, r.mark), 0o700); err != nil {
		t.Fatal(err)
	}
	r.env = app.Env{"MCPTEA_CONFIG=off", "MCPTEA_TOKEN_STORE=off", "PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "XDG_STATE_HOME=" + r.state, "GORACE=atexit_sleep_ms=0"}
	r.flags = place.flags
	switch {
	case place.file:
		r.write("variables", "ACCT="+r.mark+"\n")
		r.flags = []string{"--env-file", filepath.Join(r.dir, "variables")}
	case place.env != "":
		r.env = append(r.env, place.env+"="+r.mark)
	default:
		r.env = append(r.env, "MCPTEA_INPUT_K="+r.mark)
	}
	if place.name == "path of the command" && !fails {
		if err := os.Symlink("/bin/sh", filepath.Join(r.dir, r.mark, "sh")); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r *secretRig) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// target are the words that name the server.
func (r *secretRig) target() []string { return []string{filepath.Join(r.dir, "mcp.json") + "#s"} }

// look reports each form of the value in a text.
func (r *secretRig) look(where, text string) {
	r.t.Helper()
	for name, form := range encodedMark(r.mark) {
		if at := strings.Index(text, form); at >= 0 {
			r.t.Errorf("%s: the value is shown, %s: …%q…", where, name, text[max(0, at-80):min(len(text), at+len(form)+40)])
		}
	}
}

// run runs a command on the server and looks at what it prints.
func (r *secretRig) run(args ...string) (stdout string) {
	r.t.Helper()
	stdout, stderr, _ := calledIn(r.t, r.env, args...)
	where := strings.Join(args[:min(2, len(args))], " ")
	r.look(where+", stdout", stdout)
	r.look(where+", stderr", stderr)
	return stdout
}

// on is a command line on the server.
func (r *secretRig) on(args ...string) []string {
	return slices.Concat(args, []string{"--timeout", "3s", "--connect-timeout", "3s"}, r.flags, r.target())
}

// framesApart are the lines of a recording that are no frames: those have the bytes of the wire.
func framesApart(recording string) string {
	var b strings.Builder
	for line := range strings.Lines(recording) {
		if !strings.Contains(line, `"k":"in"`) && !strings.Contains(line, `"k":"out"`) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// files looks at all that was written, also at the names.
func (r *secretRig) files(root string) {
	r.t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		r.look("the name of a file", strings.TrimPrefix(path, root))
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		r.look(path, framesApart(string(text)))
		return err
	})
	if err != nil {
		r.t.Error(err)
	}
}

var exportsWithSecret = []string{"har", "html", "markdown", "issue", "jsonl", "curl", "command", "script", "mermaid", "typescript", "types-go", "mock"}

// commands runs the commands on the server, and those on its recording.
func (r *secretRig) commands(all bool) {
	recording := filepath.Join(r.state, "of the user.jsonl")
	r.run(r.on("info", "--trace=full", "--record", recording)...)
	r.run(r.on("info", "--json")...)
	formats := exportsWithSecret
	if all {
		for _, args := range [][]string{
			{"list", "tools"},
			{"list", "--json"},
			{"call", "echo", "text=x", "--trace"},
			{"call", "echo", "text=x", "--json"},
			{"read", "demo://readme"},
			{"prompt", "greeting"},
			{"send", "ping"},
			{"complete", "prompt", "greeting", "name", "A"},
			{"bench", "ping", "-n", "2"},
			{"check", "--only", "passive"},
			{"check", "--only", "passive", "--json"},
			{"check", "--only", "passive", "--sarif", "-"},
		} {
			r.run(r.on(args...)...)
		}
		r.run("servers", "--json")
		r.run("servers")
	} else {
		formats = formats[:5]
		r.run(r.on("list", "--json")...)
	}
	if text, err := os.ReadFile(recording); err == nil && !slices.Contains(answersInFrames, r.answer) {
		if !strings.Contains(string(text), "\n") {
			r.t.Error("nothing is recorded")
		}
		for _, to := range formats {
			r.run("export", recording, "--to", to)
		}
		r.run("lint", recording)
		r.run("lint", recording, "--json")
	}
	r.files(r.state)
}

// moves matches a control sequence of a terminal other than a color: it may move the cursor, so that texts
// beside it are not beside each other on the screen. The server writes parts of its value on two lines.
var moves = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-ln-~]")

// titleText is the title of a terminal, and a notification (OSC 0, 2, 9, 777).
var titleText = regexp.MustCompile("\x1b\\](?:0|2|9|777);[^\x07\x1b]*")

// screens opens the server in the inspector, visits what there is, and looks at each screen, at what was copied and at
// the title.
func (r *secretRig) screens(width, height int) {
	r.t.Helper()
	term := onTerminalOf(r.t, width, height, "", append(slices.Clone(r.env), "TERM=xterm-256color"), slices.Concat([]string{"--timeout", "3s", "--connect-timeout", "3s"}, r.flags, r.target())...)
	framed := slices.Contains(answersInFrames, r.answer)
	look := func(where string) {
		r.t.Helper()
		if !framed { // else panes show the frames
			r.look(fmt.Sprintf("%d×%d, %s", width, height, where), term.shown())
		}
	}
	term.waitFor("Traffic")
	term.awaitScreen("not connected|server exited|connected|ended")
	look("at first")
	for _, key := range []string{"1", " ", "G", "6", "8", "\r", "\x1b", "9", "G", "\r", "\x1b", "t", "t", "t", "t", "1", "Y", "y", "K", "\x1b", "X", "j", "j", "j", "\x1b", "S", "\x1b", "?", "\x1b"} {
		before := len(term.raw())
		term.typed(key)
		term.grownSince(before)
		look("after " + key)
	}
	term.interrupted()
	term.exit()
	raw := term.raw()
	if !framed {
		r.look("all output", ansi.Strip(moves.ReplaceAllString(raw, "\n")))
	}
	for _, m := range titleText.FindAllString(raw, -1) {
		r.look("the title", m)
	}
	for _, m := range clipboard.FindAllStringSubmatch(raw, -1) {
		text, err := base64.StdEncoding.DecodeString(m[1])
		if err != nil {
			r.t.Error(err)
		}
		r.look("copied", string(text))
	}
	r.files(r.state)
}

// No value that the user has given as a secret is in anything that the program prints, shows, copies and
// writes, except in the frames: whatever place it is in, and however the server repeats it. Without
// MCPTEA_E2E each place has some of the faces and each face some of the places.
func TestSecrets_Places(t *testing.T) {
	raced.ByNight(t, "hundreds of commands, which other tests race too")
	whole := os.Getenv("MCPTEA_E2E") != ""
	n := 0
	for i, place := range placesOfSecrets {
		answers := []string{"works", "fails"}
		if place.web {
			answers = answersWithSecret
		}
		if place.name == "client secret" || place.name == "host" {
			answers = answers[:1]
		}
		if !whole {
			answers = answers[i%len(answers):][:1]
		}
		for j, answer := range slices.Compact(answers) {
			n++
			t.Run(place.name+"/"+answer, func(t *testing.T) {
				r := newSecretRig(t, n, place, answer, answer == "fails")
				r.commands(whole || j == 0 && i%3 == 0)
				if whole || j == 0 && i%3 == 1 {
					r.screens(80, 24)
				}
				if whole || j == 0 && i%3 == 2 {
					r.screens(120, 36)
				}
			})
		}
	}
}
