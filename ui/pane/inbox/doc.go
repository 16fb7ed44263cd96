// Package inbox is the pane of the requests that a server makes of the user:
// sampling, where the user responds as the model, and elicitation, where the user
// fills in a form or opens a page. It shows the request, edits the response, and
// returns it as an action.
//
// It opens and fetches nothing: a URL is shown with warnings, and can be copied.
package inbox
