// A server that ends in a call: it divides by zero.
import readline from "node:readline";
const out = (o) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...o }) + "\n");
const schema = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize") {
    out({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "shaky", version: "1" } } });
  } else if (method === "tools/list") {
    out({ id, result: { tools: [{ name: "divide", description: "Divide a by b.", inputSchema: schema }] } });
  } else if (method === "tools/call") {
    const { a, b } = params.arguments;
    if (b === 0) {
      console.error("division by zero");
      process.exit(3);
    }
    out({ id, result: { content: [{ type: "text", text: String(a / b) }] } });
  } else {
    out({ id, error: { code: -32601, message: "Method not found" } });
  }
});
