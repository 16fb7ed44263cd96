package stderr_test

import (
	"strings"
	"testing"

	"mcptea/record/stderr"
)

// What a line is depends on its form.
func TestRead_Forms(t *testing.T) {
	for text, want := range map[string]struct {
		form    stderr.Form
		message string
	}{
		"/srv/tea.rb:3:in `pour': no tea (Tea::EmptyError)":                         {stderr.Error, "no tea (Tea::EmptyError)"},
		"tea.rb:3:in 'Object#pour': no tea (KeyError)":                              {stderr.Error, "no tea (KeyError)"},
		"Error: Cannot find module 'x'":                                             {stderr.Error, "Cannot find module 'x'"},
		"TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension":            {stderr.Error, "Unknown file extension"},
		"java.lang.RuntimeException: no tea":                                        {stderr.Error, "no tea"},
		"Unhandled exception. System.DllNotFoundException: no tea":                  {stderr.Error, "no tea"},
		" ---> System.IO.IOException: no tea":                                       {stderr.Error, "no tea"},
		"  Caused by: no tea in `/kettle`":                                          {stderr.Error, "no tea in `/kettle`"},
		"2026-01-02 03:04:05,678 - server - ERROR - no tea":                         {stderr.Error, "no tea"},
		"2026-01-02T03:04:05.678Z ERROR mcp::server: no tea":                        {stderr.Error, "mcp::server: no tea"},
		"[2026-01-02 03:04:05] [server] [error] no tea":                             {stderr.Error, "no tea"},
		"ERROR:root:no tea":                                                         {stderr.Error, "root:no tea"},
		"npm error code E404":                                                       {stderr.Error, "code E404"},
		"npm ERR! 404 Not Found - GET https://r/x":                                  {stderr.Error, "404 Not Found - GET https://r/x"},
		"panic: runtime error: index out of range":                                  {stderr.Error, "runtime error: index out of range"},
		"error[E0432]: unresolved import":                                           {stderr.Error, "unresolved import"},
		"\x1b[31merror\x1b[0m: no tea":                                              {stderr.Error, "no tea"},
		"Traceback (most recent call last):":                                        {stderr.Error, "(most recent call last):"},
		"server.py: error: the following arguments are required: --db":              {stderr.Error, "the following arguments are required: --db"},
		`{"level":"error","msg":"no tea"}`:                                          {stderr.Error, "no tea"},
		`{"level":50,"msg":"no tea"}`:                                               {stderr.Error, "no tea"},
		`time=2026-01-02T03:04:05Z level=ERROR msg="no tea" err=x`:                  {stderr.Error, "no tea: x"},
		`time=2026-01-02T03:04:05Z level=ERROR err="no tea"`:                        {stderr.Error, "no tea"},
		`{"level":"fatal","message":"no tea","error":"lookup tea: no such host"}`:   {stderr.Error, "no tea: lookup tea: no such host"},
		`{"level":50,"err":{"type":"Error","message":"no kettle"},"msg":"no tea"}`:  {stderr.Error, "no tea: no kettle"},
		`{"level":50,"err":{"message":"no tea"},"msg":"no tea"}`:                    {stderr.Error, "no tea"},
		"E0102 15:04:05.000000   12345 file.go:12] no tea":                          {stderr.Error, "no tea"},
		"# Fatal process OOM in Failed to reserve virtual memory for CodeRange":     {stderr.Error, "OOM in Failed to reserve virtual memory for CodeRange"},
		"Failed to start server: listen EADDRINUSE":                                 {stderr.Error, "Failed to start server: listen EADDRINUSE"},
		"java: no such file '/x.jar'":                                               {stderr.Named, "no such file '/x.jar'"},
		"sh: 1: mcp-server: not found":                                              {stderr.Named, "not found"},
		"INFO:     Uvicorn running on http://127.0.0.1:8000":                        {stderr.Info, "Uvicorn running on http://127.0.0.1:8000"},
		"[info] segmentation fault handler installed":                               {stderr.Info, "segmentation fault handler installed"},
		"2026/01/02 03:04:05 DEBUG out of memory handler":                           {stderr.Info, "out of memory handler"},
		`{"level":30,"msg":"out of memory handler"}`:                                {stderr.Info, "out of memory handler"},
		"npm warn EBADENGINE   required: { node: '>=20' },":                         {stderr.Warning, "EBADENGINE   required: { node: '>=20' },"},
		"(node:12) Warning: permission denied":                                      {stderr.Warning, "permission denied"},
		"  --tls-key string   Path to TLS private key":                              {stderr.Help, ""},
		"usage: server [-h]":                                                        {stderr.Help, ""},
		"    at boil (tea.js:3)":                                                    {stderr.Other, ""},
		"Node.js v22.1.0":                                                           {stderr.Other, ""},
		"  code: 'EACCES',":                                                         {stderr.Other, ""},
		"listening on port 3000":                                                    {stderr.Plain, "listening on port 3000"},
		"Docs: https://docs.example.com/cli/mcp":                                    {stderr.Plain, "Docs: https://docs.example.com/cli/mcp"},
		"see https://example.com/errors/SIGSEGV":                                    {stderr.Plain, "see https://example.com/errors/SIGSEGV"},
		strings.Repeat("var a=1;", 200) + "throw new Error('EACCES')":               {stderr.Plain, ""},
		"2026/01/02 03:04:05 listen tcp 127.0.0.1:80: bind: address already in use": {stderr.Plain, "listen tcp 127.0.0.1:80: bind: address already in use"},
	} {
		l := stderr.Read([]string{text})[0]
		if l.Form != want.form || want.message != "" && l.Message != want.message {
			t.Errorf("%q: form %d and %q, want %d and %q", text, l.Form, l.Message, want.form, want.message)
		}
	}
}

// Source code that a runtime shows, and the text of a help, are no reports.
func TestRead_SourceAndHelp(t *testing.T) {
	for text, plain := range map[string]string{
		"/srv/start.mjs:1\nError: out of memory;throw x\n   ^\n\nError: no key\n    at x\n\nNode.js v20.20.2": "Error: no key",
		"/srv/bundle.js:3\nvar e='Error: in a bundle without a caret'\n\nError: no key":                       "Error: no key",
		"file:///srv/a.mjs:10\nconst x = 'Error: y';\n// Error: z\n      ~~~~^\n\nSyntaxError: no":            "SyntaxError: no",
		"Usage: server [options]\n\nOptions:\n  --db  the file\nError: codes\n":                               "Error: codes",
		"Usage: server [options]\n\nEnvironment:\nAPI_KEY   Error: when missing\n  B\n\nError: no key":        "Error: no key",
	} {
		got := ""
		for _, l := range stderr.Read(strings.Split(text, "\n")) {
			if l.Form == stderr.Error {
				got += l.Text
			}
		}
		if got != plain {
			t.Errorf("%q: errors %q, want %q", text, got, plain)
		}
	}
}
