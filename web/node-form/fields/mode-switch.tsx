import { OneOf } from "../../parts/one-of.tsx";

export type Mode = "fixed" | "json" | "expression";

const words: Record<Mode, string> = { fixed: "Fixed", json: "JSON", expression: "Expression" };

type ModeSwitchProps = { label: string; modes: Mode[]; mode: Mode; onChange: (mode: Mode) => void };

/** Whether a field holds a value, or an expression that gives one when the workflow runs. */
export function ModeSwitch({ label, modes, mode, onChange }: ModeSwitchProps) {
  const options: Partial<Record<Mode, string>> = Object.fromEntries(modes.map((entry) => [entry, words[entry]]));
  return <OneOf label={`How ${label} is entered`} value={mode} options={options} onChange={onChange} isSmall />;
}
