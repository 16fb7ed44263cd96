package lint

import (
	"sync"
)

// families are all rules, one line for each family.
func families() []Family {
	return []Family{
		envelopeFamily(),
		batchFamily(),
		stdioFamily(),
		lifecycleFamily(),
		capabilityFamily(),
		toolsFamily(),
		schemasFamily(),
		resourcesFamily(),
		promptsFamily(),
		notificationsFamily(),
		metaFamily(),
		httptransportFamily(),
		errorcodesFamily(),
		statelessFamily(),
		authorizationFamily(),
		safetyFamily(),
	}
}

// catalog is parsed and bound at its first use.
var catalog = sync.OnceValue(func() *Catalog { return NewCatalog(families()...) })

// Catalogue lists all rules, family by family. The slice must not be changed.
func Catalogue() []Entry { return catalog().Entries() }

// Lookup finds a rule by its id.
func Lookup(id string) (*Entry, bool) { return catalog().Lookup(id) }

// New returns an engine that calls report with each finding, from within its
// methods.
func New(report func(Finding), options ...Option) *Engine {
	return catalog().NewEngine(report, options...)
}
