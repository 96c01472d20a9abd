import { useId } from "react";
import type { ServerAddress } from "../../src/doctor/wire.ts";
import { controlLook } from "./field.tsx";

type ServerSelectProps = { servers: ServerAddress[]; value: string; onChange: (serverId: string) => void };

export function ServerSelect({ servers, value, onChange }: ServerSelectProps) {
  const id = useId();
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Server
      </label>
      <select id={id} className={controlLook} value={value} onChange={(event) => onChange(event.target.value)}>
        {servers.map((server) => (
          <option key={server.id} value={server.id}>
            {server.title}
          </option>
        ))}
      </select>
    </div>
  );
}
