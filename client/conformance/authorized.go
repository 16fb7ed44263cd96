package main

// authorized are the scenarios behind an authorization server.
var authorized = map[string]scenario{}
