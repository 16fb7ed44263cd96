// Package appcheck tests an app in a headless browser. It opens the app several times, each time with different
// host settings, changes the host context, and examines what the app sends, what the browser reports, and the
// picture.
//
// A new check needs a row in checks.jsonl, a function that judges it, registered by its slug, and a row in
// docs/apps.md.
package appcheck
