// Package rules holds the rules of package lint: one folder for each family, with its entries (rules.jsonl)
// and traces.
package rules

import (
	"embed"
	"sync"

	"mcptea/lint"
	"mcptea/lint/rules/apps"
	"mcptea/lint/rules/authorization"
	"mcptea/lint/rules/batch"
	"mcptea/lint/rules/capability"
	"mcptea/lint/rules/definitions"
	"mcptea/lint/rules/envelope"
	"mcptea/lint/rules/errorcodes"
	"mcptea/lint/rules/events"
	"mcptea/lint/rules/httptransport"
	"mcptea/lint/rules/invariants"
	"mcptea/lint/rules/lifecycle"
	"mcptea/lint/rules/meta"
	"mcptea/lint/rules/notifications"
	"mcptea/lint/rules/prompts"
	"mcptea/lint/rules/resources"
	"mcptea/lint/rules/safety"
	"mcptea/lint/rules/schemas"
	"mcptea/lint/rules/skills"
	"mcptea/lint/rules/stateless"
	"mcptea/lint/rules/stdio"
	"mcptea/lint/rules/tools"
)

//go:embed */rules.jsonl
var entries embed.FS

// Families lists the families of rules. Each has a folder with its rules.jsonl.
func Families() []lint.Family {
	families := []lint.Family{
		{Letter: "J", Folder: "envelope", Title: "Envelope, ids and responses", Rules: envelope.Rules},
		{Letter: "B", Folder: "batch", Title: "Batches", Rules: batch.Rules},
		{Letter: "K", Folder: "stdio", Title: "stdio: lines and process", Rules: stdio.Rules},
		{Letter: "L", Folder: "lifecycle", Title: "Initialization, versions and discovery", Rules: lifecycle.Rules},
		{Letter: "C", Folder: "capability", Title: "Capabilities", Rules: capability.Rules},
		{Letter: "T", Folder: "tools", Title: "Tools", Rules: tools.Rules},
		{Letter: "S", Folder: "schemas", Title: "Schemas, content, elicitation and sampling", Rules: schemas.Rules},
		{Letter: "R", Folder: "resources", Title: "Resources and roots", Rules: resources.Rules},
		{Letter: "P", Folder: "prompts", Title: "Prompts and completion", Rules: prompts.Rules},
		{Letter: "N", Folder: "notifications", Title: "Notifications: progress, cancellation, logging, pagination", Rules: notifications.Rules},
		{Letter: "M", Folder: "meta", Title: "_meta", Rules: meta.Rules},
		{Letter: "H", Folder: "httptransport", Title: "HTTP", Rules: httptransport.Rules},
		{Letter: "E", Folder: "errorcodes", Title: "Error codes", Rules: errorcodes.Rules},
		{Letter: "X", Folder: "stateless", Title: "2026-07-28: input requests, subscriptions, caching, tasks, extensions", Rules: stateless.Rules},
		{Letter: "A", Folder: "authorization", Title: "Authorization", Rules: authorization.Rules},
		{Letter: "Y", Folder: "safety", Title: "Text that looks different from its content", Rules: safety.Rules},
		{Letter: "D", Folder: "definitions", Title: "Definitions of the schema", Rules: definitions.Rules},
		{Letter: "U", Folder: "apps", Title: "MCP Apps: tools with UI, resources and documents", Rules: apps.Rules},
		{Letter: "V", Folder: "events", Title: "Events: event types, polls, streams and webhooks", Rules: events.Rules},
		{Letter: "I", Folder: "invariants", Title: "Relations between messages", Rules: invariants.Rules},
		{Letter: "G", Folder: "skills", Title: "Skills: declaration, entries and files", Rules: skills.Rules},
	}
	for i, f := range families {
		families[i].Entries, _ = entries.ReadFile(f.Folder + "/rules.jsonl") // all files are embedded
	}
	return families
}

// catalog is parsed and bound at its first use.
var catalog = sync.OnceValue(func() *lint.Catalog { return lint.NewCatalog(Families()...) })

// Catalogue lists all rules, family by family. The slice must not be changed.
func Catalogue() []lint.Entry { return catalog().Entries() }

// Lookup finds a rule by its id.
func Lookup(id string) (*lint.Entry, bool) { return catalog().Lookup(id) }

// New returns an engine that calls report with each finding, from within its
// methods.
func New(report func(lint.Finding), options ...lint.Option) *lint.Engine {
	return catalog().NewEngine(report, options...)
}

// OfServer returns an engine that reports only the severity of each finding about the server.
func OfServer(report func(lint.Severity)) *lint.Engine {
	return New(func(f lint.Finding) {
		if f.Fault != lint.Client {
			report(f.Severity)
		}
	}, lint.Texts(func(int) bool { return false }))
}
