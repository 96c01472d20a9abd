import { useId, useState } from "react";
import type { Server } from "../../api/servers.ts";
import { controlLook } from "../../parts/field.tsx";
import { searchServers } from "../servers/search-servers.ts";
import { ServerIcon } from "../servers/server-icon.tsx";

type RulePickerProps = { rules: string[]; servers: Server[]; onChange: (rules: string[]) => void };

/** The catalogue to tick servers and tools in; each tick is a rule. */
export function RulePicker({ rules, servers, onChange }: RulePickerProps) {
  const id = useId();
  const [search, setSearch] = useState("");
  const toggle = (rule: string, on: boolean) =>
    onChange(on ? [...rules, rule] : rules.filter((entry) => entry !== rule));
  return (
    <details>
      <summary className="cursor-pointer text-sm text-accent">Choose from the catalogue</summary>
      <div className="mt-2.5 grid gap-2">
        <label htmlFor={id} className="sr-only">
          Search servers and tools
        </label>
        <input
          id={id}
          type="search"
          placeholder="Search servers and tools"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          className={controlLook}
        />
        <ul className="grid max-h-64 gap-1 overflow-y-auto">
          {searchServers(servers, search).map(({ server, tools }) => (
            <PickedServer key={server.id} server={{ ...server, tools }} rules={rules} onToggle={toggle} />
          ))}
        </ul>
      </div>
    </details>
  );
}

type PickedServerProps = { server: Server; rules: string[]; onToggle: (rule: string, on: boolean) => void };

function PickedServer({ server, rules, onToggle }: PickedServerProps) {
  const whole = rules.includes(server.id);
  return (
    <li>
      <label className={rowLook}>
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={whole}
          onChange={(event) => onToggle(server.id, event.target.checked)}
        />
        <ServerIcon serverId={server.id} className="size-4" />
        <span className="font-medium">{server.title}</span>
        <span className="text-muted">all tools</span>
      </label>
      <ul className="ml-6">
        {server.tools.map(({ name, title }) => (
          <li key={name}>
            <label className={rowLook}>
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={whole || rules.includes(name)}
                disabled={whole}
                onChange={(event) => onToggle(name, event.target.checked)}
              />
              <span className="min-w-0 wrap-anywhere">{title}</span>
            </label>
          </li>
        ))}
      </ul>
    </li>
  );
}

const rowLook = "flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-1.5 text-sm hover:bg-hover";
