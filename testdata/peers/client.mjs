// Uses a server through the TypeScript SDK and prints what it got, as JSON:
//
//	node client.mjs v1|v2 URL | COMMAND ARG…
//
// v1 is @modelcontextprotocol/sdk, v2 @modelcontextprotocol/client, which tries the
// protocol versions without a handshake first. A URL that ends in /sse is that of
// HTTP+SSE.
const [sdk, target, ...args] = process.argv.slice(2)
const capabilities = {sampling: {}, elicitation: {}, roots: {}}
const info = {name: 'client.mjs', version: '1.0.0'}
const sampled = {role: 'assistant', model: 'none', content: {type: 'text', text: 'Assam'}}
const overHTTP = /^https?:/.test(target)
let client, transport

if (sdk === 'v1') {
	const {Client} = await import('@modelcontextprotocol/sdk/client/index.js')
	const {StdioClientTransport} = await import('@modelcontextprotocol/sdk/client/stdio.js')
	const {StreamableHTTPClientTransport} = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
	const {SSEClientTransport} = await import('@modelcontextprotocol/sdk/client/sse.js')
	const types = await import('@modelcontextprotocol/sdk/types.js')
	client = new Client(info, {capabilities})
	client.setRequestHandler(types.CreateMessageRequestSchema, () => sampled)
	client.setRequestHandler(types.ListRootsRequestSchema, () => ({roots: [{uri: 'file:///tea'}]}))
	if (!overHTTP) transport = new StdioClientTransport({command: target, args, stderr: 'ignore'})
	else if (target.endsWith('/sse')) transport = new SSEClientTransport(new URL(target))
	else transport = new StreamableHTTPClientTransport(new URL(target))
} else {
	const {Client, StreamableHTTPClientTransport} = await import('@modelcontextprotocol/client')
	const {StdioClientTransport} = await import('@modelcontextprotocol/client/stdio')
	client = new Client(info, {capabilities, versionNegotiation: {mode: 'auto'}})
	client.setRequestHandler('sampling/createMessage', () => sampled)
	client.setRequestHandler('roots/list', () => ({roots: [{uri: 'file:///tea'}]}))
	if (!overHTTP) transport = new StdioClientTransport({command: target, args, stderr: 'ignore'})
	else transport = new StreamableHTTPClientTransport(new URL(target))
}

const got = {}
// note keeps a result, or the error in its place.
async function note(name, promise) {
	try { got[name] = await promise } catch (e) { got[name] = {failed: String(e.message), code: e.code} }
}

await client.connect(transport)
got.server = client.getServerVersion()
got.capabilities = client.getServerCapabilities()
got.instructions = client.getInstructions()
await note('tools', client.listTools())
const names = (got.tools.tools ?? []).map(t => t.name)
await note('resources', client.listResources())
await note('templates', client.listResourceTemplates())
await note('prompts', client.listPrompts())
const calls = [
	['echo', {message: 'tea \u2028 \ud83c\udf75 ' + 'x'.repeat(100000)}],
	['get-sum', {a: 2, b: 40}],
	['get-tiny-image', {}],
	['trigger-long-running-operation', {duration: 0.3, steps: 3}],
	['trigger-sampling-request', {prompt: 'which tea?', maxTokens: 10}],
	['steep', {seconds: 0.1}],
	['echo', {wrong: true}],
	['no-such-tool', {}],
]
for (const [i, [name, args]] of calls.entries()) {
	if (!names.includes(name) && name !== 'no-such-tool') continue
	const progress = []
	const options = {onprogress: p => progress.push(p), timeout: 20000}
	const call = sdk === 'v1' ? client.callTool({name, arguments: args}, undefined, options) : client.callTool({name, arguments: args}, options)
	await note(`call ${i} ${name}`, call)
	// The SDK may drop the last one, which comes with the response.
	got[`progress ${i}`] = progress.slice(0, 2)
}
got.concurrent = await Promise.all([...Array(20).keys()].map(i => client.callTool({name: 'echo', arguments: {message: `${i}`}})))
if (transport.terminateSession) await transport.terminateSession().catch(() => {})
await client.close()
process.stdout.write(JSON.stringify(got, null, 1) + '\n', () => process.exit(0))
