package lint

// codeRules judge error codes.
var codeRules = []rule{}

func errorCode(m *Message) (int64, bool) { return m.Envelope.Code, m.IsError() && IsInteger(Member(m.Error, "code")) }
