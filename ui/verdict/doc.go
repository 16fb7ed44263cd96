// Package verdict is how findings of the rules look, wherever they are shown:
// their signs, their colours, and who is meant.
//
// It knows findings and colours. It must not know panes, keys, or how anything
// was found.
package verdict
