// Package command is the vocabulary of the screen: what a person can do there,
// each thing once, with a name, a sentence of help, its keys and the place
// where it works.
//
// The table is what keys, the palette, the help screen and the line at the
// bottom are made from; nothing else lists keys. The package also defines
// actions: what a pane wants done, as data, so that the root carries out keys,
// palette, mouse and tests by one road. It knows no pane and draws nothing.
package command
