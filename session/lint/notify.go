package lint

// notificationRules judge progress, cancellation, logging and pages.
var notificationRules = []rule{}
