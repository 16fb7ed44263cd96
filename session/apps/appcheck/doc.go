// Package appcheck judges an app in a headless browser: it opens the app several times, with
// another host each time, changes what the app knows of its host, and looks at what the app
// sends, at what the browser reports, and at the picture.
//
// A new check is a row of checks.jsonl, the function that judges it by its slug, and a row in
// docs/apps.md.
package appcheck
