import { readFileSync } from "node:fs";

/**
 * Memory of some processes in MB. `pss` shares a page among all who have it mapped, also strangers that run the same program;
 * `alone` is what it would be if nothing else ran: clean pages of a file count once, however many of these processes map them.
 */
export function measureMemory(pids: number[]): { pss: number; alone: number } {
  let pss = 0;
  let own = 0;
  const cleanOfFile = new Map<string, number>();
  for (const mapping of pids.flatMap(readMappings)) {
    pss += mapping.pss;
    own += mapping.file === undefined ? mapping.pss : mapping.pssDirty;
    if (mapping.file !== undefined)
      cleanOfFile.set(mapping.file, Math.max(cleanOfFile.get(mapping.file) ?? 0, mapping.clean));
  }
  const shared = [...cleanOfFile.values()].reduce((sum, kilobytes) => sum + kilobytes, 0);
  return { pss: pss / 1024, alone: (own + shared) / 1024 };
}

function readMappings(pid: number) {
  const text = readFileSync(`/proc/${pid}/smaps`, "utf8");
  return text.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).map((block) => {
    const [, offset, inode, name] = /^\S+ \S+ (\S+) \S+ (\d+)\s*(.*)$/m.exec(block) ?? [];
    const kilobytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(block)?.[1] ?? 0);
    return {
      file: inode === "0" ? undefined : `${name} ${offset}`,
      pss: kilobytes("Pss"),
      pssDirty: kilobytes("Pss_Dirty"),
      clean: kilobytes("Shared_Clean") + kilobytes("Private_Clean"),
    };
  });
}
