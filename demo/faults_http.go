package demo

import "net/http"

const (
	errorPage   = "<!doctype html>\n<title>500</title>\n<h1>Internal Server Error</h1>\n<p>The kettle exploded.</p>\n"
	welcomePage = "<!doctype html>\n<title>Welcome</title>\n<h1>Welcome to the tea house</h1>\n<p>Please sign in to use the network.</p>\n"
)

// answering makes every request get the same answer. headers are pairs.
func answering(status int, contentType, body string, headers ...string) func(*run, http.Handler) http.Handler {
	return func(*run, http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i+1 < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body)) // nobody left to tell
		})
	}
}

func mislabel(_ *run, next http.Handler) http.Handler { return next }

func hang(_ *run, next http.Handler) http.Handler { return next }

func dropCalls(_ *run, next http.Handler) http.Handler { return next }

func expireSessions(_ *run, next http.Handler) http.Handler { return next }
