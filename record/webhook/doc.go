// Package webhook receives the events that a server POSTs to a callback (SEP-3415, webhook delivery; Standard
// Webhooks). It answers challenges and verifies signatures over the received bytes. If a signature does not
// verify, it reports which of the usual mistakes the sender made.
package webhook
