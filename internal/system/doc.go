// Package system provides operating system functions that the program needs:
//
//   - It replaces files as a whole or not at all.
//   - It recognizes errors of the operating system by their POSIX names, including on Windows. There the
//     numbers differ, and errors.Is with a constant of package syscall is false for every error that a system
//     call returns.
//   - It decides which requests a server on the loopback interface accepts: requests of programs on this
//     machine, but not those that a web page sends through a browser (MCP 2025-11-25, basic / transports,
//     security warning).
//   - It finds files that another user may have created or changed.
//   - It returns the directories for the program's files.
package system
