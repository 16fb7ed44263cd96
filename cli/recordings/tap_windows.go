package recordings

import "os"

// serverSignals returns only os.Interrupt: Windows has no signals to forward.
func serverSignals() []os.Signal { return []os.Signal{os.Interrupt} }

func signalNumber(string) int { return 0 }

// endBySignal does nothing: no process ends by a signal.
func endBySignal(string) {}
