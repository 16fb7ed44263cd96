//go:build unix

package cli

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/cli/app"
	"mcptea/demo"
	"mcptea/internal/test/raced"
)

// kindsOfSecrets are values of inputs, by their kind; MARK is another word in each of them. All are made up.
var kindsOfSecrets = []struct{ kind, value string }{
	{"word", "MARKhunter"},
	{"digits", "9180273645"},
	{"with blanks", "MARK my secret phrase"},
	{"quotes", `MARKa"b'c`},
	{"backslash", `MARKa\b\n`},
	{"dollar", "MARK$HOME$(id)"},
	{"backticks", "MARK`id`"},
	{"unicode", "MARKпароль密码"},
	{"unicode with blanks", "MARK пароль"},
	{"emoji", "MARK🔑🔑"},
	{"percent", "MARK%2F%00%20x"},
	{"plus and slash", "MARKab+/cd=="},
	{"JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJMARKabcdef.sigMARK"},
	{"token of GitHub", "ghp_MARKabcdefghijklmnopqrstuvwxyz012345"},
	{"UUID", "123e4567-e89b-12d3-a456-426614179abc"},
	{"hexadecimal", "deadbeefcafe0123456789abcdef0123456789abcdef"},
	{"URL", "https://u:MARKpw@h.example/?t=MARK"},
	{"JSON", `{"a":"MARK"}`},
	{"PEM", `-----BEGIN PRIVATE KEY-----\nMARKabcd\n-----END PRIVATE KEY-----`},
	{"angle", "MARK<b>&amp;"},
	{"at sign", "MARK@example.com:22"},
	{"colon", "MARKuser:pass"},
	{"equals", "MARKa=b=c"},
	{"semicolon", "MARK;a|b&c"},
	{"six characters", "Z9qX7w"},
	{"long", strings.Repeat("MARKx1Y", 100)},
	{"path", "/MARK/secret/path"},
}

// formsOfSecret are those in which a text can have a value, without the parts of the program that redact.
func formsOfSecret(t *testing.T, value, mark string) (forms []string) {
	t.Helper()
	plain, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	query := url.QueryEscape(value)
	forms = []string{
		value, string(plain[1 : len(plain)-1]), query, strings.ReplaceAll(query, "+", "%20"), url.PathEscape(value), fmt.Sprintf("%+q", value),
		base64.StdEncoding.EncodeToString([]byte(value)), html.EscapeString(value), strings.ReplaceAll(value, "'", `'\''`),
	}
	if strings.Contains(value, mark) {
		forms = append(forms, mark)
	}
	return forms
}

// No secret of an input is in anything that commands print, record and export, whatever it looks like:
// as an argument, a variable, a header and a part of the URL; of a server that works, that ends, that
// cannot be started or reached, and that repeats in its error what it was sent.
func TestSecrets_KindsOfInputs(t *testing.T) {
	raced.ByNight(t, "hundreds of commands, which other tests race too")
	dir := t.TempDir()
	t.Chdir(dir)
	works := httptest.NewServer(demo.New(demo.Options{}).HandlerContext(t.Context()))
	defer works.Close()
	repeats := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(w, "<p>no %s</p> %s %s", html.EscapeString(r.RequestURI), r.URL.Path, r.URL.RawQuery)
	}))
	defer repeats.Close()

	type object = map[string]any
	env := app.Env{"MCPTEA_CONFIG=off", "MCPTEA_TOKEN_STORE=off", "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_STATE_HOME=" + dir}
	forms := map[string][]string{}
	var inputs []object
	args, vars, headers, query := []string{}, object{}, object{}, "?a=b"
	for i, k := range kindsOfSecrets {
		id, mark := fmt.Sprintf("k%d", i), fmt.Sprintf("QZX%02dW", i)
		value, ref := strings.ReplaceAll(k.value, "MARK", mark), "${input:"+id+"}"
		forms[k.kind] = formsOfSecret(t, value, mark)
		env = append(env, "MCPTEA_INPUT_"+strings.ToUpper(id)+"="+value)
		inputs = append(inputs, object{"id": id, "type": "promptString", "password": true, "description": "d"})
		args = append(args, ref, "pre-"+ref+"-post")
		vars[fmt.Sprintf("FOO%d", i)], vars[fmt.Sprintf("BAR%d", i)] = ref, "x:"+ref
		headers[fmt.Sprintf("X-Foo-%d", i)], headers[fmt.Sprintf("X-Bar-%d", i)] = ref, "pre "+ref
		query += fmt.Sprintf("&q%d=%s", i, ref)
	}
	stdio := func(command string, args ...string) object {
		return object{"type": "stdio", "command": command, "args": args, "env": vars}
	}
	config, err := json.Marshal(object{"inputs": inputs, "servers": object{
		"works":   stdio("sh", append([]string{"-c", "exec mcptea demo --serve", "sh"}, args...)...),
		"ends":    stdio("sh", append([]string{"-c", "exit 3", "sh"}, args...)...),
		"missing": stdio("/no/such/${input:k0}", args...),
		"headers": object{"type": "http", "url": works.URL + "/mcp", "headers": headers},
		"URL":     object{"type": "http", "url": repeats.URL + "/${input:k7}/${input:k2}/x" + query},
		"dead":    object{"type": "http", "url": "http://127.0.0.1:9/mcp" + query, "headers": headers},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("mcp.json", config, 0o600); err != nil {
		t.Fatal(err)
	}

	texts := map[string]string{}
	run := func(place string, args ...string) int {
		stdout, stderr, code := calledIn(t, env, args...)
		texts[place], texts[place+", stderr"] = stdout, stderr
		return code
	}
	for name, want := range map[string]int{"works": app.ExitOK, "ends": app.ExitConnect, "missing": app.ExitConnect, "headers": app.ExitOK, "URL": app.ExitConnect, "dead": app.ExitConnect} {
		recording := filepath.Join(dir, name+".jsonl")
		if code := run(name+": info", "info", "--trace=full", "--timeout", "5s", "--record", recording, "mcp.json#"+name); code != want {
			t.Errorf("%s: exit code %d, want %d: %s", name, code, want, texts[name+": info, stderr"])
		}
		if name != "dead" { // which is tried again, for a second
			run(name+": info --json", "info", "--json", "--timeout", "5s", "mcp.json#"+name)
		}
		record, err := os.ReadFile(recording)
		if err != nil {
			t.Error(err)
		}
		texts[name+": recording"] = string(record)
		formats := []string{"har", "curl", "command", "html", "markdown", "typescript", "script", "mermaid"}
		if want != app.ExitOK && name != "URL" {
			formats = formats[:1] // there are no frames
		}
		for _, to := range formats {
			run(name+": export "+to, "export", recording, "--to", to)
		}
	}
	run("check --json", "check", "--only", "passive", "--json", "mcp.json#headers")
	for place, text := range texts {
		for kind, forms := range forms {
			if i := slices.IndexFunc(forms, func(form string) bool { return strings.Contains(text, form) }); i >= 0 {
				at := strings.Index(text, forms[i])
				t.Errorf("%s: the secret %q is shown as %q: …%s…", place, kind, forms[i], text[max(0, at-80):min(len(text), at+len(forms[i])+40)])
			}
		}
	}
}
