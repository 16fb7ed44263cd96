// Package probes implements the probes: functions that send chosen messages, correct and malformed, and judge
// the reaction. Package probe provides what they are written with and their entries; each file here has the
// probes of one topic.
package probes

import (
	"context"
	"iter"
	"maps"
	"slices"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Run connects to a server and runs the selected probes with the negotiated protocol version. If no version was
// requested and the server supports both eras, it also runs them with the other era. report is called for each
// step, in order, on the caller's goroutine; it may be nil. The error is from connecting. If the context is
// done, the summary has the findings so far.
func Run(ctx context.Context, cfg probe.Config, report func(probe.Event)) (*probe.Summary, error) {
	summary, err := probe.NewRunner(do, cfg).Run(ctx, report)
	if err != nil || cfg.Client.Revision != "" || summary.Stopped != nil {
		return summary, err
	}
	cfg.Seed = summary.Seed
	for _, r := range furtherRevisions(ctx, summary.Servers[0], cfg) {
		cfg.Client.Revision = r
		next, err := probe.NewRunner(do, cfg).Run(ctx, report)
		if err != nil {
			continue // the list of versions was not true; P-140 is about it
		}
		summary.Servers = append(summary.Servers, next.Servers...)
		summary.Reports = append(summary.Reports, next.Reports...)
		summary.Left = append(summary.Left, next.Left...)
		summary.Asked = union(summary.Asked, next.Asked)
		summary.Sent, summary.Took, summary.Stopped = summary.Sent+next.Sent, summary.Took+next.Took, next.Stopped
		summary.Waited += next.Waited
		summary.Processes, summary.AtOnce = summary.Processes+next.Processes, max(summary.AtOnce, next.AtOnce)
		if next.Stopped != nil {
			break
		}
	}
	return summary, nil
}

// union returns the names of both sets.
func union(a, b map[string]bool) map[string]bool {
	all := map[string]bool{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// furtherRevisions returns the versions to probe after the negotiated one: the other era of the server, or with
// EachRevision all that it accepts.
func furtherRevisions(ctx context.Context, s *probe.Server, cfg probe.Config) []revision.Revision {
	if !cfg.EachRevision {
		if s.OtherEra != "" {
			return []revision.Revision{s.OtherEra}
		}
		return nil
	}
	var spoken []revision.Revision
	for _, r := range slices.Backward(revision.All()) {
		if r != s.Revision && speaks(ctx, r, cfg) {
			spoken = append(spoken, r)
		}
	}
	return spoken
}

// speaks reports whether a server accepts a version when that is requested.
func speaks(ctx context.Context, r revision.Revision, cfg probe.Config) bool {
	cfg.Client.Revision, cfg.Only, cfg.Passive = r, []string{"-"}, true // run no probe
	summary, err := probe.NewRunner(do, cfg).Run(ctx, nil)
	return err == nil && len(summary.Servers) == 1 && summary.Servers[0].Revision == r
}

// do runs the function of a probe or, if it has none, its steps, unless the server lacks what the probe needs.
// Entries without either consist of lint rules.
func do(r *probe.Run, id string) {
	if why := parts()[id].needs; why != "" && r.SkipIf(!needs[why](r), why) {
		return
	}
	if function := functions[id]; function != nil {
		function(r)
	} else {
		job{Run: r}.run(id)
	}
}

// functions maps ids to the probes that do more than the steps in the table.
var functions = map[string]func(*probe.Run){
	"P-001": initBasic,
	"P-002": initEachVersion,
	"P-003": initOddVersions,
	"P-004": initBadParams,
	"P-005": initTwice,
	"P-006": beforeInit,
	"P-007": quietBeforeInitialized,
	"P-008": initializedLateOrTwice,
	"P-009": discoverFirst,
	"P-010": capabilityTruth,
	"P-030": batchAccepted,
	"P-040": parallel,
	"P-041": idCollision,
	"P-042": slowDoesNotBlock,
	"P-043": crossConnectionIDs,
	"P-045": pageWalk,
	"P-046": listStable,
	"P-047": cursorBad,
	"P-048": descriptions,
	"P-049": size,
	"P-050": toolUnknown,
	"P-051": toolOddNames,
	"P-053": toolMissingRequired,
	"P-054": toolWrongValue,
	"P-055": toolExtraArguments,
	"P-056": toolAbsentArguments,
	"P-058": toolCallValid,
	"P-067": readListed,
	"P-068": templateValues,
	"P-069": traversal,
	"P-070": subscribe,
	"P-075": promptRefusals,
	"P-076": getValid,
	"P-078": completionValid,
	"P-082": logFilter,
	"P-086": progressTokens,
	"P-087": cancelRunning,
	"P-088": cancelStray,
	"P-090": unknownTask,
	"P-091": taskLifecycle,
	"P-092": taskSupport,
	"P-095": caplessClient,
	"P-096": oddAnswers,
	"P-097": callsBack,
	"P-101": eofExit,
	"P-102": sigterm,
	"P-108": clientKilled,
	"P-109": callLeft,
	"P-104": partialWrite,
	"P-105": invalidUTF8,
	"P-106": framingAbuse,
	"P-107": backPressure,
	"P-113": dnsRebinding,
	"P-114": originForeign,
	"P-115": sessionHeader,
	"P-116": sessionDelete,
	"P-117": sessionIDQuality,
	"P-118": sessionFixation,
	"P-120": getStream,
	"P-121": resume,
	"P-123": cors,
	"P-124": body,
	"P-125": slowClient,
	"P-126": (*probe.Run).AwaitStreams,
	"P-127": exposure,
	"P-128": corsOfPage,
	"P-131": sseUnknownSession,
	"P-140": discover,
	"P-142": versionUnsupported,
	"P-144": headerMethod,
	"P-150": listen,
	"P-153": logOptIn,
	"P-154": mrtrCapabilities,
	"P-155": mrtrRounds,
	"P-161": resourceMetadata,
	"P-162": serverMetadata,
	"P-163": invalidToken,
	"P-165": tokenInQuery,
	"P-167": scopeChallenge,
	"P-168": secondPrincipal,
	"P-173": oversize,
	"P-174": definitionsByClient,
	"P-177": secretEcho,
	"P-178": canary,
	"P-180": argumentEvaluation,
	"P-185": pingLatency,
	"P-186": largeValues,
	"P-187": deepJSON,
	"P-188": flood,
	"P-189": churn,
	"P-237": stillWorks,
	"P-190": restartClean,
	"P-200": fuzzTools,
	"P-211": appReadable,
	"P-212": appFallback,
	"P-213": appResultText,
	"P-221": skillList,
	"P-222": skillGet,
	"P-223": skillUnknown,
	"P-224": skillFiles,
	"P-225": skillDirectories,
	"P-231": eventPoll,
	"P-232": eventRefusals,
	"P-233": eventStream,
	"P-234": eventSubscribe,
	"P-235": eventDelivery,
	"P-236": eventListChanged,
}

// taken yields the messages with a method among those received on a connection, with their params.
func taken(frames []probe.Frame, method string) iter.Seq2[probe.Frame, []byte] {
	return func(yield func(probe.Frame, []byte) bool) {
		for _, f := range frames {
			if e := jsonrpc.Scan(f.Bytes); e.HasMethod(f.Bytes, method) && !yield(f, e.Params.Of(f.Bytes)) {
				return
			}
		}
	}
}

// completeLists yields the lists of the server that could be read to their end.
func completeLists(r *probe.Run) iter.Seq2[client.ListKind, *probe.List] {
	return func(yield func(client.ListKind, *probe.List) bool) {
		for _, kind := range client.ListKinds {
			if l := r.Server.Lists[kind.Name]; l != nil && l.Problem == "" && !yield(kind, l) {
				return
			}
		}
	}
}

// An item is an entry of a list of the server.
type item struct {
	kind    client.ListKind
	name    string
	raw     []byte
	subject string // subject of findings
}

// items yields all entries of all lists.
func items(r *probe.Run) iter.Seq[item] {
	return func(yield func(item) bool) {
		for _, kind := range client.ListKinds {
			for _, raw := range r.Server.Items(kind) {
				name := jsonrpc.Text(raw, kind.Key)
				if !yield(item{kind, name, raw, kind.Noun + ":" + name}) {
					return
				}
			}
		}
	}
}
