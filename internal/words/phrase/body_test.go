package phrase

import (
	"strings"
	"testing"
)

func TestBody_PageIsOneLine(t *testing.T) {
	for body, want := range map[string]string{
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>Error</title>\n</head>\n<body>\n<pre>Cannot POST /sse</pre>": `HTML page "Error": "Cannot POST /sse"`,
		"<html><head><TITLE id=x>\n  Just a&nbsp;moment...\n</TITLE>":                                                     "HTML page \"Just a moment...\"",
		"\ufeff \n<HTML><body>no</body": `an HTML page of 1.5 kB: "no"`,
		"<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0\">\n<html><title>x</title>": `HTML page "x"`,
		"<!-- a\nproxy --><html>":                                           "an HTML page of 1.5 kB",
		"<h1>Not Found</h1>":                                                `an HTML page of 1.5 kB: "Not Found"`,
		"<pre>\nTypeError: a\n</pre>":                                       `an HTML page of 1.5 kB: "TypeError: a"`,
		"<title>cut in the mid":                                             "an HTML page of 1.5 kB",
		"upstream said:\n\n<!doctype html><title>502":                       "upstream said: an HTML page of 1.5 kB",
		`{"error":"<html><title>Bad Gateway</title>"}`:                      `{"error":" HTML page "Bad Gateway"`,
		"<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>": `<?xml version="1.0"?> <Error><Code>AccessDenied</Code></Error>`,
		"Traceback:\n  File \"a\"\nKeyError: <p>":                           `Traceback: File "a" KeyError: <p>`,
		"no": "no",
		"":   "",
	} {
		got := Body(body, 1500, 200)
		if got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
		if strings.ContainsAny(got, "\r\n") {
			t.Errorf("%q has more than one line", got)
		}
	}
	if got := Body("<html>", -1, 200); got != "an HTML page" {
		t.Error(got)
	}
	if got := Body(strings.Repeat("é ", 300), 1500, 200); len(got) > 210 || !strings.HasSuffix(got, "…") {
		t.Error(got)
	}
	if got := Body("<title>"+strings.Repeat("long ", 300)+"</title>", 1500, 200); len(got) > 200 || !strings.HasPrefix(got, "HTML page \"long long") {
		t.Error(got)
	}
}

func TestPage_Title(t *testing.T) {
	for body, want := range map[string]bool{"<html>": true, " <!doctype html>": true, "<xml>": false, "<Error>": false, "a <html>": false, "<svg>": false, "": false} {
		if _, ok := Page(body); ok != want {
			t.Errorf("%q: %t", body, ok)
		}
	}
	if title, ok := Page([]byte("<html><title> a\n b &amp; c</title>")); !ok || title != "a b & c" {
		t.Errorf("%q %t", title, ok)
	}
}
