// Command manpage prints the manual page of mcptea, for packages.
package main

import (
	"fmt"
	"os"

	mango "github.com/muesli/mango-cobra"
	"github.com/muesli/roff"

	"mcptea/cli"
)

func main() {
	page, err := manPage()
	if err != nil {
		fmt.Fprintln(os.Stderr, "manpage:", err)
		os.Exit(1)
	}
	fmt.Print(page)
}

func manPage() (string, error) {
	page, err := mango.NewManPage(1, cli.Commands())
	if err != nil {
		return "", err
	}
	return page.Build(roff.NewDocument()), nil
}
