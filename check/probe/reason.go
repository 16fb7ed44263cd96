package probe

// A Reason is the kind of the reason why a probe did not run or was not judged. With the zero
// Reason, [Report.Skip] is the whole reason.
type Reason uint8

// The reasons, in the order of the summary.
const (
	OtherReason Reason = iota
	OtherVersion
	OtherTransport
	NoCapability
	NotPassive   // the probe sends frames, and the run is passive
	NotIntrusive // the probe needs --intrusive
	NotEvents    // the probe needs --events
	NotSelected  // deselected by [Config]
	ByHand       // only a person can judge it
	Outside      // there is nothing to judge
)

// reasonWords holds the words for reasons in reports. [Report.Skip] follows them.
var reasonWords = [...]string{
	OtherVersion: "version", OtherTransport: "transport", NoCapability: "capability", NotPassive: "passive",
	NotIntrusive: "needs --intrusive", NotEvents: "needs --events", NotSelected: "not selected", ByHand: "by hand:", Outside: "does not apply:",
}

// Why returns why the probe was skipped or not judged, or "".
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
