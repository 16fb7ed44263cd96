package main

var (
	stateless = map[string]scenario{}
	headers   = map[string]scenario{}
	skills    = map[string]scenario{}
)
