// Package webhook receives the events that a server POSTs to a callback (SEP-3415, webhook delivery;
// Standard Webhooks). It answers challenges, verifies signatures over the bytes as they came, and says
// which of the usual mistakes a sender has made whose signature does not verify.
package webhook
