package notifications

import (
	"slices"
)

// notificationRules judge progress, cancellation, logging and pages.
var notificationRules = slices.Concat(progressRules, cancelRules, logRules, pageRules)
