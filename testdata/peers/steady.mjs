// Calls a tool of a server again and again through the TypeScript SDK, four calls at a time, until stdin
// ends, and prints what came of it, as JSON:
//
//	node steady.mjs v1|v2 TOOL ARGUMENTS COMMAND ARG…
//
// A "#" in the arguments is the number of the call, which the result has to have.
const [sdk, tool, args, command, ...rest] = process.argv.slice(2)
const info = {name: 'steady.mjs', version: '1.0.0'}
let client, transport
if (sdk === 'v1') {
	const {Client} = await import('@modelcontextprotocol/sdk/client/index.js')
	const {StdioClientTransport} = await import('@modelcontextprotocol/sdk/client/stdio.js')
	client = new Client(info, {capabilities: {}})
	transport = new StdioClientTransport({command, args: rest, stderr: 'ignore', env: process.env})
} else {
	const {Client} = await import('@modelcontextprotocol/client')
	const {StdioClientTransport} = await import('@modelcontextprotocol/client/stdio')
	client = new Client(info, {capabilities: {}, versionNegotiation: {mode: 'auto'}})
	transport = new StdioClientTransport({command, args: rest, stderr: 'ignore', env: process.env})
}
const got = {calls: 0, results: 0, tap: 0, other: [], wrong: 0, faults: []}
client.onerror = e => got.faults.push(String(e.message).slice(0, 200))
await client.connect(transport)
await client.listTools()
let stopped = false
process.stdin.on('end', () => { stopped = true }).resume()
console.log('connected')

async function calls() {
	while (!stopped) {
		const n = ++got.calls
		try {
			const result = await client.callTool({name: tool, arguments: JSON.parse(args.replaceAll('#', n))})
			if (JSON.stringify(result).includes(`n${n}e`)) got.results++
			else got.wrong++
		} catch (e) {
			if (e.data?.source === 'mcptea tap') got.tap++
			else got.other.push(String(e.message).slice(0, 200))
		}
	}
}
await Promise.all([calls(), calls(), calls(), calls()])
await client.close()
console.log(JSON.stringify(got))
