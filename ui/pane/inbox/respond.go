package inbox

import (
	"context"
	"encoding/json"
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/requests"
	"mcptea/ui/dialog"
	"mcptea/ui/form"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// commands returns the commands of the list and of the response.
func (p *Pane) commands() (list, response []keys.Command) {
	send := func(on string) keys.Command {
		return p.Do(keys.Command{ID: "respond", Keys: keys.On(on), Label: "respond", Now: p.ends, Help: "Send the response", Words: "answer accept send", Footer: 11}, p.respond, settled)
	}
	both := []keys.Command{
		p.Do(keys.Command{ID: "respond.decline", Verb: keys.End, Label: "decline", Now: p.declines, Help: "Decline the request, or respond with cancel or with an error", Words: "no refuse reject dismiss cancel error", Footer: 13}, p.decline, settled),
		p.Do(keys.Command{ID: "view.shown", Verb: keys.NextView, Label: "JSON", Help: "Edit the whole result as JSON, and back", Words: "raw", Footer: 17}, p.toggleJSON, settled, noResponse),
		p.Do(keys.Command{ID: "respond.saved", Keys: keys.On("ctrl+r"), Label: "saved", Help: "Use a saved response", Words: "canned answer load", Footer: 19}, p.choose, settled, noResponse),
		p.Do(keys.Command{ID: "write", Verb: keys.Write, Label: "save", Help: "Save the response under a name, to use it again", Words: "canned answer keep"}, p.save),
		p.Do(keys.Command{ID: "respond.sampler", Keys: keys.On("| alt+|"), Label: "by command", Help: "Let a command respond to this request", Words: "model run", Footer: 20}, p.sample, settled, notSampling),
		p.Do(keys.Command{ID: "frame", Keys: keys.On("f4"), Label: "frame", Help: "Show the frame of the request", Words: "wire", Footer: 21}, p.frame),
	}
	list = append([]keys.Command{
		p.Do(keys.Command{ID: "inbox.open", Keys: keys.On("enter right"), Label: "edit/frame", Now: p.opens, Help: "Edit the response, or show the frame of a request that has one", Words: "answer", Footer: 10}, p.open, p.unopened),
		send("ctrl+s"),
	}, both...)
	list = append(list,
		keys.Command{ID: "setting", Keys: keys.On(","), Label: "policies", Help: "Choose who responds to sampling, elicitation and roots", Words: "ask accept decline sampler automatic settings preferences options configuration", Footer: 18, Run: func() { p.Policies.Choose() }, Off: p.recorded},
		p.Do(keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy the URL, or the request", Words: "clipboard", Footer: 25}, p.copy),
	)
	response = append([]keys.Command{send("ctrl+s enter")}, both...)
	response = append(response, p.Do(keys.Command{ID: "edit", Verb: keys.Edit, Label: "$EDITOR", Help: "Edit the text in $VISUAL or $EDITOR", Words: "vim external", Footer: 18}, p.edit, settled, noResponse))
	for _, c := range form.Commands {
		response = append(response, p.Do(c.Command, func(e *entry) {
			if why := c.Do(e.form()); why != "" {
				p.app.Say(why)
			}
		}, settled, func(e *entry) string {
			if e.form() == nil {
				return "This works in a form."
			}
			return c.Off(e.form())
		}))
	}
	return list, response
}

// ends returns the label for sending a response to the selected request.
func (p *Pane) ends() string {
	if e, ok := p.Selected(); ok && e.waits() {
		return e.ends()
	}
	return "respond"
}

// settled returns why a response can no longer be sent.
func settled(e *entry) string {
	switch {
	case !e.waits():
		return "The server no longer waits for this response."
	case e.sent:
		return "The response is being sent."
	}
	return ""
}

func noResponse(e *entry) string {
	return keys.Reason(e.req.Required(), "This request has no response: it came with the error of a call.")
}

// form returns the form with the focus, or nil.
func (e *entry) form() *form.Form {
	if f, ok := e.editor().(*formEditor); ok {
		return &f.Form
	}
	return nil
}

func notSampling(e *entry) string {
	switch {
	case e.req.Method != client.MethodSampling:
		return "A sampler only responds to sampling."
	case e.req.Sampling():
		return "The sampler is already running."
	}
	return ""
}

func (p *Pane) recorded() string {
	return keys.Reason(p.Policies == nil, "A recording has no policies: nothing is sent.")
}

// open moves the focus to the response, or shows the frame of a request that has
// one.
func (p *Pane) open(e *entry) {
	if why := p.unopened(e); why != "" { // this happens with a click
		p.app.Say(why)
	} else if !e.waits() {
		p.frame(e)
	}
	p.Enter()
}

// opens returns the label for opening the selected request.
func (p *Pane) opens() string {
	e, ok := p.Selected()
	if !ok {
		return ""
	}
	return paint.If(e.waits(), "edit", "frame")
}

// unopened returns why nothing opens if there is nothing to fill in, and what to do.
func (p *Pane) unopened(e *entry) string {
	send := p.app.Key("respond")
	switch {
	case !e.waits():
		return ""
	case e.req.Required():
		return "Visit the page, then " + send + " calls again. mcptea opens nothing."
	case e.kind == visit && !e.asJSON:
		return send + " accepts. mcptea opens nothing."
	}
	return keys.Reason(e.editor() == nil, "There is nothing to fill in: "+send+" accepts.")
}

func (p *Pane) frame(e *entry) {
	if e.req.Row < 0 {
		p.app.Say("The frame is not in Traffic.")
		return
	}
	p.app.ShowFrame(e.req.Row)
}

func (p *Pane) copy(e *entry) {
	if e.kind == visit {
		p.app.Copy(display.Sanitize(e.url), nil, "URL")
		return
	}
	p.app.Copy(display.EscapeJSON(string(e.req.Params)), nil, "request")
}

// respond sends the response. An empty text, and content that the schema does not allow, must be sent twice.
func (p *Pane) respond(e *entry) {
	if e.req.Required() {
		p.sent(e)
		p.Again(e.req.ID)
		return
	}
	result := e.fixed
	if ed := e.editor(); ed != nil {
		why := ""
		if result, why = ed.Check(p.app.Key("respond")); result == nil {
			if why != "" {
				p.app.Fail(why)
			}
			p.Enter() // go to the first invalid field
			return
		}
	}
	p.send(e, ending{reply: func(id jsonrpc.ID) error { return p.s.Respond(id, result) }})
}

// An ending is a way to end a request. The request itself reports the outcome of the response; see became.
type ending struct {
	name, summary string
	reply         func(id jsonrpc.ID) error
}

// declines returns the label of the command that declines the selected request. It ends in … if a window lists
// several ways.
func (p *Pane) declines() string {
	if e, ok := p.Selected(); ok && e.waits() {
		return p.declineLabel(e)
	}
	return "decline"
}

func (p *Pane) declineLabel(e *entry) string {
	return paint.If(len(p.endings(e)) > 1, "decline"+phrase.Ellipsis(), "decline")
}

// decline declines a request, or lists the ways if there are several.
func (p *Pane) decline(e *entry) {
	all := p.endings(e)
	if len(all) == 1 {
		p.send(e, all[0])
		return
	}
	dialog.Choose{
		Title: "Do not accept " + display.Sanitize(e.req.Method), Verb: "send", Text: "Choose what the server gets:",
		Len: func() int { return len(all) },
		Entry: func(i int) dialog.Entry {
			return dialog.Entry{Key: all[i].name, Name: all[i].name, Summary: all[i].summary}
		},
		Accept: func(i int) { p.send(e, all[i]) },
	}.Open(p.app)
}

// endings returns the ways to decline a request.
func (p *Pane) endings(e *entry) []ending {
	all := []ending{{"decline", "the user says no", p.s.Decline}}
	if e.elicits() && !e.req.Required() {
		all = append(all, ending{"cancel", "the user has made no choice", p.s.Cancel})
	}
	refuse := func(id jsonrpc.ID) error {
		return p.s.Refuse(id, jsonrpc.CodeInternalError, "The user responded with an error")
	}
	switch {
	case e.req.Required() || e.req.Method == client.MethodRoots:
	case e.req.Round == 0:
		all = append(all, ending{"error", "error -32603 instead of a result", refuse})
	case e.elicits(): // declining the others is an error already
		all = append(all, ending{"nothing", "the call is not sent again", refuse})
	}
	return all
}

// send ends a request outside of Update.
func (p *Pane) send(e *entry, end ending) {
	if why := settled(e); why != "" {
		p.app.Fail(why)
		return
	}
	id := e.req.ID
	p.app.Online("Respond", func() {
		p.sent(e)
		p.app.Go(func(context.Context) func() {
			err := end.reply(id)
			return func() { p.replied(e, err) }
		})
	})
}

func (p *Pane) sent(e *entry) {
	e.sent = true
	if p.last = nil; e.call.tab != "" {
		p.last = e
	}
	p.next()
}

// replied leads to the call, unless another request waits for the user.
func (p *Pane) replied(e *entry, err error) {
	if err != nil {
		p.app.Fail("The response was not sent: " + err.Error())
		return
	}
	did := p.became(e)
	p.app.Say(did)
	waits := slices.ContainsFunc(p.order, func(other *entry) bool { return other.waits() && !other.sent && !other.req.Sampling() })
	if !waits && e == p.last && p.Return(e.call.tab) {
		p.last = nil
		p.app.Say(did + " " + p.app.Key("tab.inbox") + " returns to the requests.")
	}
}

// became describes the outcome of the response to a request: sent, kept, or never sent.
func (p *Pane) became(e *entry) string {
	r, before := &e.req, 0
	for _, now := range p.s.Requests() {
		switch {
		case now.ID.Same(e.req.ID) && now.Arrived.Equal(e.req.Arrived):
			r = &now
		case now.Round != 0 && now.Round == e.req.Round && now.Conn == e.req.Conn:
			before++
		}
	}
	switch {
	case r.Unsent() && r.Required():
		return "Declined: nothing is sent, the call has ended with its error."
	case r.Unsent():
		return "Declined: nothing is sent, the call ends."
	case r.Kept():
		return did(r) + ": it waits for " + paint.If(r.Others == 1, "the other response", "the other "+phrase.Count(r.Others, "response")) + "."
	case before > 0:
		return did(r) + ": " + sentWith(before) + "."
	}
	return did(r) + "."
}

// sentWith describes how many other responses one is sent with.
func sentWith(others int) string {
	return paint.If(others == 1, "sent with the other response", "sent with the other "+phrase.Count(others, "response"))
}

// did describes how a request was answered.
func did(r *requests.Request) string {
	switch r.State {
	case requests.Declined:
		return "Declined"
	case requests.Cancelled:
		return "Cancelled"
	case requests.Refused:
		return "Responded with an error"
	}
	return "Responded"
}

// sample runs the sampler's command to respond.
func (p *Pane) sample(e *entry) {
	if why := p.recorded(); why != "" {
		p.app.Fail(why)
		return
	}
	id := e.req.ID
	p.Policies.Sampler(func(command string) {
		if err := p.s.Sample(id, command); err != nil {
			p.app.Fail("The sampler was not started: " + err.Error())
		}
	})
}

func (p *Pane) toggleJSON(e *entry) {
	if !e.asJSON {
		e.toJSON()
		p.Enter()
		return
	}
	if why := e.fromJSON(); why != "" {
		p.app.Fail(why)
	}
	if e.editor() == nil {
		p.Leave()
	}
}

// edit opens the response in the user's editor: a text literally, anything else as the JSON of the whole
// result.
func (p *Pane) edit(e *entry) {
	text, suffix := jsonrpc.Indented(e.result()), ".json"
	switch ed := e.editor().(type) {
	case *textEditor:
		text, suffix = ed.Value(), ".txt"
	case *jsonEditor:
		text = ed.Value()
	}
	p.app.EditText(text, suffix, e.edited)
}

func (p *Pane) choose(e *entry) {
	p.Responses.Choose(e.req.Method, func(result []byte) {
		if e.waits() {
			e.fill(result)
			p.Enter()
		}
	})
}

// save asks for a name and saves the response: the one being written, or the one that was sent.
func (p *Pane) save(e *entry) {
	result := e.req.Result
	if e.waits() {
		result = e.result()
	}
	if !json.Valid(result) {
		p.app.Fail("There is no response to save that is valid JSON.")
		return
	}
	p.Responses.Save(e.req.Method, jsonrpc.Compact(result))
}
