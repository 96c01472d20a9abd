/** Whether a name fits a pattern in which `*` stands for any characters or none, and everything else for itself. Never goes back over the name. */
export function matchesRule(rule: string, name: string): boolean {
  const [start = "", ...others] = rule.split("*");
  const end = others.pop();
  if (end === undefined) return name === rule;
  if (!name.startsWith(start) || !name.endsWith(end)) return false;
  let position = start.length;
  for (const part of others) {
    const found = name.indexOf(part, position);
    if (found === -1) return false;
    position = found + part.length;
  }
  return position <= name.length - end.length;
}
