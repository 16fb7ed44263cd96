package lint

import (
	"sync"

	"mcptea/session/lint/authorization"
	"mcptea/session/lint/batch"
	"mcptea/session/lint/capability"
	"mcptea/session/lint/envelope"
	"mcptea/session/lint/errorcodes"
	"mcptea/session/lint/httptransport"
	"mcptea/session/lint/lifecycle"
	"mcptea/session/lint/meta"
	"mcptea/session/lint/notifications"
	"mcptea/session/lint/prompts"
	"mcptea/session/lint/resources"
	"mcptea/session/lint/rule"
	"mcptea/session/lint/safety"
	"mcptea/session/lint/schemas"
	"mcptea/session/lint/stateless"
	"mcptea/session/lint/stdio"
	"mcptea/session/lint/tools"
)

// Families lists the families of rules.
func Families() []rule.Family {
	return []rule.Family{
		envelope.Family(),
		batch.Family(),
		stdio.Family(),
		lifecycle.Family(),
		capability.Family(),
		tools.Family(),
		schemas.Family(),
		resources.Family(),
		prompts.Family(),
		notifications.Family(),
		meta.Family(),
		httptransport.Family(),
		errorcodes.Family(),
		stateless.Family(),
		authorization.Family(),
		safety.Family(),
	}
}

// catalog is parsed and bound at its first use.
var catalog = sync.OnceValue(func() *rule.Catalog { return rule.NewCatalog(Families()...) })

// Catalogue lists all rules, family by family. The slice must not be changed.
func Catalogue() []rule.Entry { return catalog().Entries() }

// Lookup finds a rule by its id.
func Lookup(id string) (*rule.Entry, bool) { return catalog().Lookup(id) }

// New returns an engine that calls report with each finding, from within its
// methods.
func New(report func(rule.Finding), options ...rule.Option) *rule.Engine {
	return catalog().NewEngine(report, options...)
}
