package session

import (
	"testing"

	"mcptea/client"
)

func TestSecondConfig_CredentialsStayAtTheirHost(t *testing.T) {
	first := client.Target{URL: "https://a.example/mcp", Header: map[string][]string{"Authorization": {"Bearer x"}}}
	cfg := Config{Target: first, Record: "off"}
	if other := SecondConfig(cfg, first, SecondTarget(first, []string{"https://b.example/mcp"})); len(other.Target.Header) > 0 || other.Authorization != nil {
		t.Errorf("another host gets %v", other.Target.Header)
	}
	if same := SecondConfig(cfg, first, SecondTarget(first, []string{"https://a.example/next"})); same.Target.Header.Get("Authorization") == "" {
		t.Error("the same host gets no credentials")
	}
	if command := SecondConfig(cfg, first, SecondTarget(first, []string{"node", "server.js"})); len(command.Target.Header) > 0 {
		t.Errorf("a command gets %v", command.Target.Header)
	}
}
