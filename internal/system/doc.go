// Package system has what the program needs of the operating system: files that are replaced as a whole, names of its errors, addresses of this machine, owners of files, and the directories of the user.
//
// It also writes files as a whole or not at all.
//
// It also recognizes errors of the operating system by the names that POSIX has
// for them, also on Windows, whose numbers are others: errors.Is with a constant of
// package syscall is false there for all that a system call returns.
//
// It also decides which requests a server on the loopback interface accepts: those
// of programs on this machine, and not those that a web page makes by way of a browser (MCP
// 2025-11-25, basic / transports, security warning).
//
// It also finds files that another user may have made or changed.
// Package owner finds files that another user may have made or changed.
//
// It also says where the program keeps the files of a user.
package system
