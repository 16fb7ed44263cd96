// Command oauthtry runs the two servers of package oauthtest until it is interrupted,
// to try a client against them by hand:
//
//	go run ./internal/oauthtry -page -scope mcp -admin mcp:admin
//
// -fault makes one of them do something wrong.
package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"time"

	"mcptea/internal/oauthtest"
)

var faults = map[string]func(*oauthtest.Setup){
	"issuer": func(s *oauthtest.Setup) {
		s.ServerMetadata = func(d map[string]any) map[string]any {
			d["issuer"] = "https://elsewhere.example"
			return d
		}
	},
	"pkce": func(s *oauthtest.Setup) {
		s.ServerMetadata = func(d map[string]any) map[string]any {
			delete(d, "code_challenge_methods_supported")
			return d
		}
	},
	"resource": func(s *oauthtest.Setup) {
		s.ResourceMetadata = func(d map[string]any) map[string]any {
			d["resource"] = "https://elsewhere.example/mcp"
			return d
		}
	},
	"answer": func(s *oauthtest.Setup) {
		s.Callback = func(q url.Values) { q.Set("iss", "https://elsewhere.example") }
	},
	"denied": func(s *oauthtest.Setup) {
		s.Callback = func(q url.Values) {
			q.Del("code")
			q.Set("error", "access_denied")
			q.Set("error_description", "not permitted on Fridays")
		}
	},
	"register": func(s *oauthtest.Setup) {
		s.ServerMetadata = func(d map[string]any) map[string]any {
			delete(d, "registration_endpoint")
			return d
		}
	},
	"token": func(s *oauthtest.Setup) {
		s.Token = func(status int, answer map[string]any) int {
			answer["access_token"] = "of-no-use"
			return status
		}
	},
}

func main() {
	var setup oauthtest.Setup
	flag.StringVar(&setup.ResourceAddress, "listen", "127.0.0.1:0", "where the MCP server listens")
	flag.StringVar(&setup.IssuerAddress, "issuer", "127.0.0.1:0", "where the authorization server listens")
	flag.StringVar(&setup.Scope, "scope", "mcp", "what every request needs")
	flag.StringVar(&setup.AdminScope, "admin", "mcp:admin", "what the tool admin needs besides")
	flag.DurationVar(&setup.Lifetime, "lifetime", time.Hour, "how long tokens count")
	flag.BoolVar(&setup.Page, "page", false, "ask before agreeing")
	fault := flag.String("fault", "", "what to do wrong: issuer, pkce, resource, answer, denied, register or token")
	flag.Parse()
	setup.Clients = map[string]string{"robot": "secret"}
	if *fault != "" {
		spoil, ok := faults[*fault]
		if !ok {
			fmt.Fprintf(os.Stderr, "try: there is no fault %q\n", *fault)
			os.Exit(2)
		}
		spoil(&setup)
	}
	s := oauthtest.Start(setup)
	fmt.Fprintf(os.Stderr, "the MCP server is at %s, its authorization server at %s; a client robot with the secret \"secret\" is known\n", s.URL(), s.Issuer())
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	<-interrupted
	s.Close()
}
