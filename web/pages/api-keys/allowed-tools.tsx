import type { Server } from "../../api/servers.ts";
import { countAllowedTools, findAllowedTools } from "./allowed-tools.ts";

/** What the rules leave of everything, as a number and by name. */
export function AllowedTools({ servers, rules }: { servers: Server[]; rules: string[] }) {
  const left = countAllowedTools(servers, rules);
  const total = countAllowedTools(servers, null);
  if (left === 0)
    return (
      <p role="status" className="text-sm text-warning">
        Leaves none of {total} tools. The key could call nothing.
      </p>
    );
  return (
    <details className="text-sm">
      <summary className="cursor-pointer">
        <span role="status">
          Leaves {left} of {total} tools
        </span>
      </summary>
      <ul className="mt-2 grid max-h-48 gap-1.5 overflow-y-auto text-muted">
        {findAllowedTools(servers, rules).map(({ server, tools }) => (
          <li key={server.id}>
            <span className="font-medium text-ink">{server.title}</span> {tools.map(({ title }) => title).join(", ")}
          </li>
        ))}
      </ul>
    </details>
  );
}
