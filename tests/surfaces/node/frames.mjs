// Speaks to a server in legacy mode through vscode-jsonrpc and says what it saw, as one line of JSON.
// Usage: node frames.mjs COMMAND ARGUMENT…   (the server to start)

import { spawn } from "node:child_process";
import { createRequire } from "node:module";

const rpc = createRequire(import.meta.url)("vscode-jsonrpc/node");

const [command, ...words] = process.argv.slice(2);
const server = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
const connection = rpc.createMessageConnection(
  new rpc.StreamMessageReader(server.stdout),
  new rpc.StreamMessageWriter(server.stdin),
);
const seen = { errors: [], progress: [], unhandled: [] };
connection.onError(([error]) => seen.errors.push(String(error)));
connection.onUnhandledNotification((note) => seen.unhandled.push(note.method));
connection.onNotification("notifications/progress", (params) => seen.progress.push(params));
connection.listen();

const call = (name, args, ...token) => connection.sendRequest("tools/call", { name, arguments: args }, ...token);
const failure = async (promise) => {
  try {
    return { result: await promise };
  } catch (error) {
    return { code: error.code, message: error.message, data: error.data };
  }
};

seen.initialize = await connection.sendRequest("initialize", {
  protocolVersion: "2024-11-05",
  capabilities: {},
  clientInfo: { name: "vscode-jsonrpc", version: "10" },
});
await connection.sendNotification("notifications/initialized", {});
seen.tools = (await connection.sendRequest("tools/list", {})).tools.map((tool) => tool.name);
seen.call = await call("cleats_work", { echo: "grüße 🚀" });
seen.unknownTool = await failure(call("nope", {}));
seen.unknownMethod = await failure(connection.sendRequest("no/such", {}));
seen.badArguments = await failure(call("cleats_work", { bogus: 1 }));

const source = new rpc.CancellationTokenSource();
const cancelled = call("cleats_work", { seconds: 60, reports: 200 }, source.token);
while (seen.progress.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
source.cancel();
seen.cancelled = await failure(cancelled);
seen.progressAtCancel = seen.progress.length;

const many = Array.from({ length: 50 }, (_, n) => call("cleats_work", { echo: `call ${n}`, seconds: 0.05 }));
seen.ping = await connection.sendRequest("ping", {});
seen.many = (await Promise.all(many)).map((result) => JSON.parse(result.content[0].text).echo);

seen.shutdown = await connection.sendRequest("shutdown");
await connection.sendNotification("exit");
seen.exitCode = await new Promise((resolve) => server.on("exit", resolve));
connection.dispose();
process.stdout.write(JSON.stringify(seen) + "\n");
