package notifications

import (
	"slices"
)

// notificationRules check progress, cancellation, logging and pagination.
var notificationRules = slices.Concat(progressRules, cancelRules, logRules, pageRules)
