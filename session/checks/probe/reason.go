package probe

// Reason is the kind of why a probe did not run, or a requirement was not judged. The zero value is
// any other one than those that follow: [Report.Skip] says it alone.
type Reason uint8

// The reasons, in the order of a summary.
const (
	OtherReason Reason = iota
	OtherVersion
	OtherTransport
	NoCapability
	NotPassive   // it sends frames, and nothing is to be sent
	NotIntrusive // it needs --intrusive
	NotEvents    // it needs --events
	NotSelected  // by [Config]
	ByHand       // only a person can judge it
	Outside      // there is nothing to judge
)

// reasonWords are the words of the reasons in reports, before [Report.Skip] or alone.
var reasonWords = [...]string{
	OtherVersion: "version", OtherTransport: "transport", NoCapability: "capability", NotPassive: "passive",
	NotIntrusive: "needs --intrusive", NotEvents: "needs --events", NotSelected: "not selected", ByHand: "by hand:", Outside: "does not apply:",
}

// Why says why the probe was skipped or could not be judged; empty if it was judged.
func (r *Report) Why() string {
	switch words := reasonWords[r.Reason]; {
	case words == "":
		return r.Skip
	case r.Skip == "":
		return words
	default:
		return words + " " + r.Skip
	}
}
