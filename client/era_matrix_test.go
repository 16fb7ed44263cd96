package client

import (
	"strings"
	"testing"
	"time"

	"mcptea/client/revision"
)

// bilingual is a server of both eras.
func bilingual() actor {
	return modern(actor{
		"server/discover": says(`{"resultType":"complete","supportedVersions":["2025-11-25","2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"2"}}}`),
		"initialize":      welcomes("2025-11-25"),
	})
}

func modernOnly(r *row) { r.cfg.Revision = revision.R20260728 }
func legacyOnly(r *row) { r.cfg.Revision = revision.R20251125 }

// The servers and clients of each era, and the results.
var matrixRows = register("matrix",
	isModernOne("dual meets modern", modern(nil), `lists 2026-07-28`),
	isOld("dual meets legacy", old(nil), noMethod),
	isModernOne("dual meets dual", bilingual(), `lists 2025-11-25, 2026-07-28`),
	row{
		name: "modern-only meets legacy", server: old(nil), era: revision.EraStateless, how: EraPinned, story: "started > server/discover",
		evidence: []string{"2026-07-28 was requested"}, err: []string{"error -32601: Method not found"},
	}.but(modernOnly),
	isModernOne("modern-only meets dual", bilingual(), "2026-07-28 was requested").but(modernOnly).but(pinned),
	row{
		name: "legacy-only meets modern", server: modern(nil), era: revision.EraHandshake, how: EraPinned, story: "started > initialize",
		evidence: []string{"2025-11-25 was requested"}, err: []string{"the server supports 2026-07-28, which has no initialize handshake (offered: 2025-11-25)"},
	}.but(legacyOnly),
	row{
		name: "legacy-only meets modern that names nothing", server: modern(actor{"initialize": fails(-32601, "Method not found", "")}), era: revision.EraHandshake, how: EraPinned,
		story: "started > initialize", evidence: []string{"2025-11-25 was requested"}, err: []string{"error -32601"},
	}.but(legacyOnly),
	isOld("legacy-only meets dual", bilingual(), "2025-11-25 was requested").but(legacyOnly).but(pinned),
	isOld("2024-11-05 is asked for", old(actor{"initialize": welcomes("2024-11-05")}), "2024-11-05 was requested").in("2024-11-05", "revision 2024-11-05").
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
		{"dual meets modern", modernSite(), "2026-07-28", "> server/discover > tools/list", ""},
		{"dual meets legacy", oldSite(), "2025-11-25", "> server/discover > initialize > notifications/initialized > tools/list", ""},
		{"dual meets dual", both(), "2026-07-28", "> server/discover > tools/list", ""},
		{"modern-only meets legacy", oldSite(), "Server not initialized", "> server/discover", revision.R20260728},
		{"modern-only meets a URL without MCP", site{"*": gives(404, "no page")}, "404 Not Found: no page", "> server/discover", revision.R20260728},
		{"legacy-only meets modern", modernSite(), "the server supports 2026-07-28, which has no initialize handshake", "> initialize", revision.R20251125},
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
	wasModern = "the previous connection to this server was modern"
	wasLegacy = "the previous connection to this server was legacy"
	noMore    = "that no longer works: "
)

// What was found out the last time is believed until it stops working
// .
var rememberedRows = register("remembered",
	isModernOne("modern still is", modern(nil), wasModern).but(was(revision.EraStateless)),
	isOld("legacy still is", old(nil), wasLegacy).but(was(revision.EraHandshake)).but(func(r *row) {
		r.story = "started > initialize > notifications/initialized > tools/list"
	}),
	isOld("modern has become legacy", old(nil), wasModern, noMore+"the server returned error -32601", noMethod).but(was(revision.EraStateless)).but(func(r *row) {
		r.how, r.story = EraProbed, "started > server/discover > server/discover > initialize > notifications/initialized > tools/list"
	}),
	isModernOne("legacy has become modern", modern(nil), wasLegacy, "initialize failed: the server supports 2026-07-28").but(was(revision.EraHandshake)).
		but(correctedTo("started > initialize > server/discover > tools/list")),
	isModernOne("legacy has become modern and says another thing", modern(actor{"initialize": fails(-32603, "what?", "")}), wasLegacy, noMore+"the server returned error -32603", "lists").
		but(was(revision.EraHandshake)).but(func(r *row) {
		r.how, r.story = EraProbed, "started > initialize > server/discover > tools/list"
	}),
	isOld("modern has become one that ends", old(actor{"server/discover": quits(7)}), wasModern, noMore+"server/discover got no response", "after a restart, initialize succeeded").
		but(was(revision.EraStateless)).but(func(r *row) {
		r.how, r.story = EraProbed, "started > server/discover started > initialize > notifications/initialized > tools/list"
	}),
	isModernOne("legacy has become one that ends", modern(actor{"initialize": quits(7)}), wasLegacy, noMore+"initialize got no response", "lists").
		but(was(revision.EraHandshake)).but(func(r *row) {
		r.how, r.story = EraProbed, "started > initialize started > server/discover > tools/list"
	}),
	row{
		name: "legacy has become one that always ends", server: modern(actor{"initialize": quits(7), "server/discover": quits(8)}), era: revision.EraUnknown, how: EraProbed,
		story: "started > initialize started > server/discover", evidence: []string{wasLegacy, noMore + "initialize got no response", "the server ended after server/discover"}, err: []string{"exited with code 8"},
	}.but(func(r *row) { r.cfg.Era = revision.EraHandshake }),
	isOld("modern has become silent", old(actor{"server/discover": prints()}), wasModern, noMore+"no response to server/discover within", "no response within").
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
		modernAt("modern still is", modernSite(), wasModern).but(was(revision.EraStateless)),
		oldAt("legacy still is", oldSite(), wasLegacy).but(was(revision.EraHandshake)).but(func(r *row) {
			r.story = "> initialize > notifications/initialized > tools/list"
		}),
		oldAt("modern has become legacy", oldSite(), wasModern, noMore, "HTTP 400").but(was(revision.EraStateless)).but(func(r *row) {
			r.how, r.story = EraProbed, "> server/discover > server/discover > initialize > notifications/initialized > tools/list"
		}),
		modernAt("legacy has become modern", modernSite(), wasLegacy, "initialize failed").but(was(revision.EraHandshake)).but(correctedTo("> initialize > server/discover > tools/list")),
		stopsAt("modern is busy", site{"*": gives(503, "")}, "> server/discover > server/discover > server/discover", wasModern, "503").but(func(r *row) {
			r.cfg.Era, r.era, r.how = revision.EraStateless, revision.EraStateless, EraRemembered
		}),
		stopsAt("modern wants a token", site{"*": gives(401, "")}, "> server/discover", wasModern, "401").but(func(r *row) {
			r.cfg.Era, r.era, r.how = revision.EraStateless, revision.EraStateless, EraRemembered
		}),
	} {
		t.Run(r.name, func(t *testing.T) { r.meets(t) })
	}
}
