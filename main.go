// Command mcptea is a terminal client and wire inspector for MCP servers.
package main

import (
	"os"

	"mcptea/cli"
)

// version is set by the linker for a release.
var version string

func main() { os.Exit(cli.Main(version)) }
