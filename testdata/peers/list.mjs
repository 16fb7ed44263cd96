// Reads tools, a line of JSON each, and lists each with the client of an official SDK, beside a tool
// that is right. It prints a line for each: the number of tools, or why the list was refused.
//
//	node list.mjs v1|v2 [initialize] <LINES
//
// v1 is @modelcontextprotocol/sdk, v2 @modelcontextprotocol/client. With initialize, the lines are
// results of initialize.
import readline from 'node:readline'

const {Client} = await import(process.argv[2] === 'v1' ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client')
console.warn = console.error = () => {} // what the compiler of schemas says

// A transport that answers by itself.
const handshakes = process.argv[3] === 'initialize'
const serverOf = line => ({
	async start() {},
	async close() { this.onclose?.() },
	setProtocolVersion() {},
	async send(message) {
		if (message.id === undefined || !message.method) return
		const results = {
			initialize: handshakes ? line : {protocolVersion: message.params?.protocolVersion, capabilities: {tools: {}}, serverInfo: {name: 's', version: '1'}},
			'tools/list': {tools: [{name: 'good', inputSchema: {type: 'object'}}, ...(handshakes ? [] : [line])]},
		}
		const result = results[message.method]
		const rest = result ? {result} : {error: {code: -32601, message: 'Method not found'}}
		setImmediate(() => this.onmessage?.({jsonrpc: '2.0', id: message.id, ...rest}))
	},
})

for await (const line of readline.createInterface({input: process.stdin})) {
	const client = new Client({name: 'list', version: '1'}, {capabilities: {}})
	try {
		await client.connect(serverOf(JSON.parse(line)), {timeout: 2000}) // what is no message is never answered
		console.log(handshakes ? 'connected' : (await client.listTools()).tools.length)
	} catch (err) {
		console.log('refused: ' + String(err.message ?? err).replace(/\s+/g, ' ').slice(0, 200))
	}
	await client.close()
}
