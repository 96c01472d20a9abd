import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Row = { id: string; createdTime: string; fields: object };

/** Tables on loopback that answer as Airtable does: a list of all records, and one that is added. */
export async function startTables() {
  const tables = new Map<string, Row[]>();
  let count = 0;

  function add(table: string): Row {
    const row = {
      id: `rec${String(++count).padStart(14, "0")}`,
      createdTime: new Date().toISOString(),
      fields: { Name: `Record ${count}` },
    };
    tables.set(table, [...(tables.get(table) ?? []), row]);
    return row;
  }

  const server = createServer((request, response) => {
    const table = decodeURIComponent(
      new URL(request.url ?? "", "https://airtable.test").pathname.split("/").at(-1) ?? "",
    );
    const answer = request.method === "POST" ? add(table) : { records: tables.get(table) ?? [] };
    response.writeHead(200, { "content-type": "application/json" });
    request.resume().on("end", () => response.end(JSON.stringify(answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
