package oauth

import "mcptea/client/step"

// Step is one line of the checklist of a flow. A connection may need several
// flows, which count from 1.
type Step = step.Step

// State is the state of a step.
type State = step.State

// The states of a step.
const (
	Waiting = step.Waiting
	Running = step.Running
	Done    = step.Done
	Failed  = step.Failed
)

// The names of the steps. The grant determines which of them a flow has.
const (
	StepChallenge = "challenge"            // the WWW-Authenticate header
	StepLoad      = "stored token"         // reads the token of an earlier session
	StepResource  = "resource metadata"    // RFC 9728
	StepServer    = "authorization server" // choice of the issuer
	StepMetadata  = "server metadata"      // RFC 8414, OpenID Connect Discovery
	StepClient    = "client id"            // configured, stored or registered
	StepConsent   = "consent"              // the user, in a browser
	StepIdentity  = "identity provider"    // RFC 8693
	StepRefresh   = "refresh"
	StepToken     = "token"
	StepStore     = "keep token" // stores the token for later sessions
)
