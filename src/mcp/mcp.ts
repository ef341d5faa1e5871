// The front of the room: Glovebox as a server of the Model Context Protocol, for one client over streams or for several over HTTP.
import type { McpServers } from "../contracts/mcp-servers.ts";
import { serveHttp } from "./serve-http.ts";
import { serveStreams } from "./serve-streams.ts";

export const mcpServers: McpServers = { serveStreams, serveHttp };
