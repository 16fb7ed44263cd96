// Package inbox is the pane with the requests that a server makes of a person:
// sampling, where somebody is to be the model, and elicitation, where somebody
// is to fill in a form or open a page. It says in words what is asked, keeps the
// answer that is being written, and gives it out as an action.
//
// It opens and fetches nothing: a URL is shown, judged and copied.
package inbox
