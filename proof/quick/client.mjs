// What a client does with a server, through the two TypeScript SDKs. Prints one JSON line of facts; judges nothing.
// Usage: client.mjs v1|v2-handshake|v2-stateless '{"command": …, "args": […], "env": {…}} or {"url": …}' TRACE_FILE

import { existsSync } from "node:fs";

const [, , which, target, trace] = process.argv;
const server = JSON.parse(target);
const TOOL = "cleats_work";

async function connect() {
  const me = { name: "proof", version: "1" };
  if (which === "v1") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const client = new Client(me, { capabilities: {} });
    await client.connect(open(StdioClientTransport, StreamableHTTPClientTransport));
    const call = (arguments_, options) => client.callTool({ name: TOOL, arguments: arguments_ }, undefined, options);
    return { client, call };
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const mode = which === "v2-stateless" ? "auto" : "legacy";
  const client = new Client(me, { capabilities: {}, versionNegotiation: { mode } });
  await client.connect(open(StdioClientTransport, StreamableHTTPClientTransport));
  const call = (arguments_, options) => client.callTool({ name: TOOL, arguments: arguments_ }, options);
  return { client, call };
}

function open(Stdio, Http) {
  return server.url ? new Http(new URL(server.url)) : new Stdio({ ...server, stderr: "ignore" });
}

function protocolOf(client) {
  return client.getNegotiatedProtocolVersion?.() ?? client.transport?.protocolVersion ?? null;
}

async function outcome(promise) {
  const began = performance.now();
  const told = await promise.then(
    (result) => ({ result: result.structuredContent ?? null, isError: result.isError ?? false }),
    (error) => ({ error: error.name, code: error.code ?? null, message: String(error.message) }),
  );
  return { ...told, ms: performance.now() - began };
}

const { client, call } = await connect();
const facts = { protocol: protocolOf(client) };
facts.tools = (await client.listTools()).tools.map((tool) => tool.name);
facts.call = await outcome(call({ echo: "grüße 🧭" }));
facts.refused = await outcome(call({ nonsense: 1 }));

const events = [];
const onprogress = ({ progress, total, message }) => events.push({ progress, total, message });
facts.progressed = await outcome(call({ seconds: 1.2, reports: 60 }, { onprogress }));
facts.events = events;

const stop = new AbortController();
const watch = setInterval(() => existsSync(`${trace}.cancel`) && stop.abort(), 20);
facts.cancelled = await outcome(call({ seconds: 60, trace: `${trace}.cancel` }, { signal: stop.signal }));
clearInterval(watch);
facts.expired = await outcome(call({ seconds: 60, trace: `${trace}.expire` }, { timeout: 2000 }));

const began = performance.now();
const many = await Promise.all(Array.from({ length: 200 }, (_, n) => outcome(call({ echo: `n${n}` }))));
facts.many = { right: many.filter((one, n) => one.result?.echo === `n${n}`).length, ms: performance.now() - began };
facts.odd = many.filter((one, n) => one.result?.echo !== `n${n}`).slice(0, 3);
facts.after = await outcome(call({ echo: "still here" }));
await client.close();
process.stdout.write(JSON.stringify(facts) + "\n");
