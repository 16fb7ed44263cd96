// Package docs embeds the documentation for users as Markdown, so that mcptea help TOPIC can print it without
// any files.
package docs

import "embed"

// Pages are the pages by their file names, and README.md, the list of them. The others of
// this folder are not for a terminal: rules.md and probes.md have what mcptea explain prints,
// architecture.md is for who changes the program.
//
//go:embed README.md agents.md apps.md attach.md authority.md authorization.md bench.md branches.md cards.md check.md ci.md clients.md config.md diff.md
//go:embed events.md export.md filter.md forms.md hosts.md install.md json.md keys.md listen.md loop.md mock.md models.md open.md
//go:embed otlp.md performance.md pins.md recording.md reduce.md replay.md requests.md results.md script.md server-requests.md
//go:embed sessions.md skills.md tap.md terminals.md themes.md timeline.md tls.md troubleshooting.md
var Pages embed.FS
