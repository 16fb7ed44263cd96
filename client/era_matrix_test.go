package client

import (
	"strings"
	"testing"
	"time"

	"mcptea/client/revision"
)

// bilingual is a server of both eras.
func bilingual() actor {
	return stateless(actor{
		"server/discover": says(`{"resultType":"complete","supportedVersions":["2025-11-25","2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"2"}}}`),
		"initialize":      welcomes("2025-11-25"),
	})
}

func statelessOnly(r *row) { r.cfg.Revision = revision.R20260728 }
func handshakeOnly(r *row) { r.cfg.Revision = revision.R20251125 }

// The servers and clients of each era, and the results.
var matrixRows = register("matrix",
	isStatelessOne("dual meets stateless", stateless(nil), `lists 2026-07-28`),
	isOld("dual meets handshake", old(nil), noMethod),
	isStatelessOne("dual meets dual", bilingual(), `lists 2025-11-25, 2026-07-28`),
	row{
		name: "stateless-only meets handshake", server: old(nil), era: revision.EraStateless, how: EraPinned, story: "started > server/discover",
		evidence: []string{"2026-07-28 was requested"}, err: []string{"error -32601: Method not found"},
	}.but(statelessOnly),
	isStatelessOne("stateless-only meets dual", bilingual(), "2026-07-28 was requested").but(statelessOnly).but(pinned),
	row{
		name: "handshake-only meets stateless", server: stateless(nil), era: revision.EraHandshake, how: EraPinned, story: "started > initialize",
		evidence: []string{"2025-11-25 was requested"}, err: []string{"the server supports 2026-07-28, which has no initialize handshake (offered: 2025-11-25)"},
	}.but(handshakeOnly),
	row{
		name: "handshake-only meets stateless that names nothing", server: stateless(actor{"initialize": fails(-32601, "Method not found", "")}), era: revision.EraHandshake, how: EraPinned,
		story: "started > initialize", evidence: []string{"2025-11-25 was requested"}, err: []string{"error -32601"},
	}.but(handshakeOnly),
	isOld("handshake-only meets dual", bilingual(), "2025-11-25 was requested").but(handshakeOnly).but(pinned),
	isOld("2024-11-05 is asked for", old(actor{"initialize": welcomes("2024-11-05")}), "2024-11-05 was requested").in("2024-11-05", "protocol version 2024-11-05").
		but(func(r *row) { r.cfg.Revision, r.offered = revision.R20241105, revision.R20241105 }).but(pinned),
)

func pinned(r *row) {
	r.how = EraPinned
	if r.era == revision.EraHandshake {
		r.story = strings.Replace(r.story, "> server/discover ", "", 1)
	}
}

func TestEraMatrix_Stdio(t *testing.T) {
	for _, r := range matrixRows {
		t.Run(r.name, func(t *testing.T) { r.meets(t) })
	}
}

func TestEraMatrix_HTTP(t *testing.T) {
	both := func() site {
		s := oldSite().with("server/discover", givesResult(discovery))
		session := s["tools/list"]
		return s.with("tools/list", taking(givesResult(someTools), session))
	}
	for _, tt := range []struct {
		name string
		site site
		want string // the revision, or words of the error
		sent string
		era  revision.Revision // that is asked for
	}{
		{"dual meets stateless", statelessSite(), "2026-07-28", "> server/discover > tools/list", ""},
		{"dual meets handshake", oldSite(), "2025-11-25", "> server/discover > initialize > notifications/initialized > tools/list", ""},
		{"dual meets dual", both(), "2026-07-28", "> server/discover > tools/list", ""},
		{"stateless-only meets handshake", oldSite(), "Server not initialized", "> server/discover", revision.R20260728},
		{"stateless-only meets a URL without MCP", site{"*": gives(404, "no page")}, "404 Not Found: no page", "> server/discover", revision.R20260728},
		{"handshake-only meets stateless", statelessSite(), "the server supports 2026-07-28, which has no initialize handshake", "> initialize", revision.R20251125},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := siteRow{row{cfg: Config{Revision: tt.era}}, tt.site}
			c, w, err := r.reached(t)
			if err != nil && !strings.Contains(err.Error(), tt.want) || err == nil && string(c.Revision()) != tt.want {
				t.Errorf("%s, %v; want %s", c.Revision(), err, tt.want)
			}
			if got := w.story(">", "GET"); got != tt.sent || w.listErr != nil {
				t.Errorf("what happened: %s, %v", got, w.listErr)
			}
		})
	}
}

func was(era revision.Era) func(*row) {
	return func(r *row) { r.cfg.Era, r.how = era, EraRemembered }
}

func correctedTo(story string) func(*row) {
	return func(r *row) { r.story, r.how = story, EraCorrected }
}

const (
	wasStateless = "the previous connection to this server was of the stateless era"
	wasHandshake = "the previous connection to this server was of the handshake era"
	noMore       = "that no longer works: "
)

// What was found out the last time is believed until it stops working
// .
var rememberedRows = register("remembered",
	isStatelessOne("stateless still is", stateless(nil), wasStateless).but(was(revision.EraStateless)),
	isOld("handshake still is", old(nil), wasHandshake).but(was(revision.EraHandshake)).but(func(r *row) {
		r.story = "started > initialize > notifications/initialized > tools/list"
	}),
	isOld("stateless has become handshake", old(nil), wasStateless, noMore+"the server returned error -32601", noMethod).but(was(revision.EraStateless)).but(func(r *row) {
		r.how, r.story = EraProbed, "started > server/discover > server/discover > initialize > notifications/initialized > tools/list"
	}),
	isStatelessOne("handshake has become stateless", stateless(nil), wasHandshake, "initialize failed: the server supports 2026-07-28").but(was(revision.EraHandshake)).
		but(correctedTo("started > initialize > server/discover > tools/list")),
	isStatelessOne("handshake has become stateless and says another thing", stateless(actor{"initialize": fails(-32603, "what?", "")}), wasHandshake, noMore+"the server returned error -32603", "lists").
		but(was(revision.EraHandshake)).but(func(r *row) {
		r.how, r.story = EraProbed, "started > initialize > server/discover > tools/list"
	}),
	isOld("stateless has become one that ends", old(actor{"server/discover": quits(7)}), wasStateless, noMore+"server/discover got no response", "after a restart, initialize succeeded").
		but(was(revision.EraStateless)).but(func(r *row) {
		r.how, r.story = EraProbed, "started > server/discover started > initialize > notifications/initialized > tools/list"
	}),
	isStatelessOne("handshake has become one that ends", stateless(actor{"initialize": quits(7)}), wasHandshake, noMore+"initialize got no response", "lists").
		but(was(revision.EraHandshake)).but(func(r *row) {
		r.how, r.story = EraProbed, "started > initialize started > server/discover > tools/list"
	}),
	row{
		name: "handshake has become one that always ends", server: stateless(actor{"initialize": quits(7), "server/discover": quits(8)}), era: revision.EraUnknown, how: EraProbed,
		story: "started > initialize started > server/discover", evidence: []string{wasHandshake, noMore + "initialize got no response", "the server ended after server/discover"}, err: []string{"exited with code 8"},
	}.but(func(r *row) { r.cfg.Era = revision.EraHandshake }),
	isOld("stateless has become silent", old(actor{"server/discover": prints()}), wasStateless, noMore+"no response to server/discover within", "no response within").
		but(was(revision.EraStateless)).but(func(r *row) {
		r.how, r.story = EraProbed, "started > server/discover > server/discover > initialize > notifications/initialized > tools/list"
		r.cfg.ConnectTimeout, r.within = time.Second, 100*time.Millisecond
	}),
)

func TestRememberedEra(t *testing.T) {
	for _, r := range rememberedRows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			r.meets(t)
		})
	}
}

func TestRememberedEra_HTTP(t *testing.T) {
	for _, r := range []siteRow{
		statelessAt("stateless still is", statelessSite(), wasStateless).but(was(revision.EraStateless)),
		oldAt("handshake still is", oldSite(), wasHandshake).but(was(revision.EraHandshake)).but(func(r *row) {
			r.story = "> initialize > notifications/initialized > tools/list"
		}),
		oldAt("stateless has become handshake", oldSite(), wasStateless, noMore, "HTTP 400").but(was(revision.EraStateless)).but(func(r *row) {
			r.how, r.story = EraProbed, "> server/discover > server/discover > initialize > notifications/initialized > tools/list"
		}),
		statelessAt("handshake has become stateless", statelessSite(), wasHandshake, "initialize failed").but(was(revision.EraHandshake)).but(correctedTo("> initialize > server/discover > tools/list")),
		stopsAt("stateless is busy", site{"*": gives(503, "")}, "> server/discover > server/discover > server/discover", wasStateless, "503").but(func(r *row) {
			r.cfg.Era, r.era, r.how = revision.EraStateless, revision.EraStateless, EraRemembered
		}),
		stopsAt("stateless wants a token", site{"*": gives(401, "")}, "> server/discover", wasStateless, "401").but(func(r *row) {
			r.cfg.Era, r.era, r.how = revision.EraStateless, revision.EraStateless, EraRemembered
		}),
	} {
		t.Run(r.name, func(t *testing.T) { r.meets(t) })
	}
}
