package probes

import "mcptea/check/probe"

// readings is the number of times that something must fail in a row: one failure can be an accident.
const readings = 2

// stillWorks reads the lists again at the end of the run, when the server has answered many requests. The linter compares them
// with the first ones. It also repeats plain requests that failed somewhere in the run, on a new connection.
func stillWorks(r *probe.Run) {
	failed := map[string]bool{}
	for kind := range completeLists(r) {
		var pages []probe.Outcome
		problem := ""
		for range readings {
			again := r.Walk(r.Shared(), kind)
			problem, pages = again.Problem, append(pages, again.Pages...)
			if problem == "" {
				break
			}
		}
		if problem != "" && !missesService().MatchString(problem) {
			failed[kind.Method] = true
			r.Case(kind.Method+" at the end", pages...).Error("%s worked at the start of the check, and fails at its end: %s.", kind.Method, problem)
		}
	}
	var lapsed []string
	for _, method := range r.Lapsed() {
		if !failed[method] {
			lapsed = append(lapsed, method)
		}
	}
	if len(lapsed) > 0 {
		worksElsewhere(r, lapsed)
	}
}

// worksElsewhere reports methods that work on one connection, and not on a new one.
func worksElsewhere(r *probe.Run, methods []string) {
	c := r.Fresh()
	for _, method := range methods {
		var all []probe.Outcome
		for range readings {
			o := r.Provoke(c, method+" on a new connection", c.Request(method, ""))
			if all = append(all, o); o.Kind == probe.Result {
				break
			}
		}
		if last := all[len(all)-1]; last.Kind == probe.Error || last.Kind == probe.Silent {
			r.Case(method+" on a new connection", all...).Error("%s worked on an earlier connection; on a new one it returns %s.", method, probe.Describe(last))
		}
	}
}
