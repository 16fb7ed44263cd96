package webhook

import "testing"

// Only a callback over https at a public host is public, and only the URL of a receiver is one of a tunnel.
func TestServer_PublicCallback(t *testing.T) {
	for callback, want := range map[string]bool{
		"https://abc.example.com/x": true, "https://8.8.8.8/x": true, "https://[2606:4700::1]/x": true,
		"http://abc.example.com/x": false, "https://localhost/x": false, "https://127.0.0.1/x": false, "https://10.0.0.1/x": false, "https://169.254.1.1/x": false, "https://100.64.0.1/x": false,
		"https://[::1]/x": false, "https://[fe80::1]/x": false, "https://2130706433/x": false, "https://printer.local/x": false, "": false, "ftp://abc.example.com": false,
	} {
		if got := (&Server{Callback: callback}).IsPublic(); got != want {
			t.Errorf("%s: %t", callback, got)
		}
	}
	for public, want := range map[string]bool{
		"https://abc.example.com": true, "http://abc.example.com/x": true,
		"": false, "abc.example.com": false, "ftp://abc.example.com": false, "https://": false, "https:///x": false, "https://abc.example.com?x": false, "https://abc.example.com/?x=1": false, "https://u@abc.example.com": false, "https://u:p@abc.example.com": false, "https://a b": false, "https://%": false,
	} {
		if err := CheckPublic(public); (err == nil) != want {
			t.Errorf("%s: %v", public, err)
		}
	}
}
