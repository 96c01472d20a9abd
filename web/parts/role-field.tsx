import { useState } from "react";
import type { Role } from "../../src/identity/wire.ts";
import { roleDescriptions, roleNames } from "../session.ts";
import { Field } from "./field.tsx";

export function RoleField({ roles, initial }: { roles: Role[]; initial: Role }) {
  const [role, setRole] = useState(initial);
  return (
    <Field
      label="Role"
      name="role"
      hint={roleDescriptions[role]}
      control={(control) => (
        <select
          {...control}
          value={role}
          onChange={(event) => setRole(roles.find((entry) => entry === event.target.value) ?? initial)}
        >
          {roles.map((entry) => (
            <option key={entry} value={entry}>
              {roleNames[entry]}
            </option>
          ))}
        </select>
      )}
    />
  );
}
