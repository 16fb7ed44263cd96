package attach

// For the external tests, which are processes of other versions, or connect without a command.
const MaxConnections = maxConnections

var (
	ListenSocket = listenSocket
	DialSocket   = dialSocket
)
