// Package notifications checks progress, cancellation, logging and pagination.
package notifications

import (
	"slices"
)

// Rules check progress, cancellation, logging and pagination.
var Rules = slices.Concat(progressRules, cancelRules, logRules, pageRules)
