import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createSdkTools } from "./sdk-tools.ts";

// The same tools as a program that a proxy starts, which is how most servers are given to clients that speak HTTP.
await createSdkTools().connect(new StdioServerTransport());
