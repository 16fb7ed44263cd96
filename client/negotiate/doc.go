// Package negotiate decides how to connect to an MCP server: which era it
// belongs to, which protocol version to offer, and when to retry, fall back or
// give up (2026-07-28, basic / versioning, "Backward Compatibility with
// Initialization-Based Versions"; transports, "Backwards Compatibility").
//
// A [Machine] is a pure state machine. It performs no I/O, starts no goroutine
// and reads no clock. The caller executes an [Action], reports what happened as
// an [Event], and gets the next action. The sentences that led to the detected
// era are in [Detection].
//
//	                              Start
//	        HTTP+SSE requested      │
//	     ┌──────────────────────────┤
//	     ▼                          │ no version requested, nothing remembered
//	OpeningStream                   ├───────────────────────────► Probing ◄──── retry (busy, -32020, -32022)
//	     │ ▲                        │                              │ │ │ │
//	     │ │ initialize: 400,       │ legacy      error, 4xx,      │ │ │ │ 404 with -32601
//	     │ │ 404 or 405             │             timeout, message │ │ │ └─────────────► ListingTools
//	     │ │                        ▼             of the server,   │ │ │                  │      │
//	     │ └─────────────────── Initializing ◄── exit + restart ───┘ │ │     stateless    │      │ error
//	     └────────────────────────► │ ▲ │ ▲                          │ │     result       │      │
//	                                │ │ │ └──────────────────────────│─│──────────────────│──────┘
//	            another version     │ │ │ names 2026-07-28, -32601,  │ │                  │
//	            from its list ──────┘─┘ │ late probe response        │ │                  │
//	                                │   └──► Discovering ◄── stateless version requested  │
//	                         result │             │      or remembered                    │
//	                                ▼             │ result     supportedVersions │        │
//	                          Acknowledging       ▼            has 2026-07-28    │        │
//	            initialized written │          Stateless ◄───────────────────────┴────────┘
//	                                ▼             │ ▲
//	                           Handshaken         │ │ initialize fails
//	                                ▲             ▼ │
//	                                └──────── Renegotiating ◄── a request is refused for lack of a handshake
//
// Each state goes to Failed on everything else. A remembered era that no longer
// works leads to Probing instead, once.
package negotiate
