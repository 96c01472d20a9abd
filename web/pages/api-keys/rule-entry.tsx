import { X } from "lucide-react";
import { type KeyboardEvent, useId, useState } from "react";
import type { Server } from "../../api/servers.ts";
import { Button } from "../../parts/button.tsx";
import { controlLook } from "../../parts/field.tsx";
import { countAllowedTools, isRule } from "./allowed-tools.ts";

type RuleEntryProps = { rules: string[]; servers: Server[]; onChange: (rules: string[]) => void };

/** The rules as they are, each with a cross, and a field for one more. */
export function RuleEntry({ rules, servers, onChange }: RuleEntryProps) {
  const id = useId();
  const [text, setText] = useState("");
  const isWrong = text !== "" && !isRule(text);

  function add() {
    if (!isRule(text)) return;
    if (!rules.includes(text)) onChange([...rules, text]);
    setText("");
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter") return;
    // Enter would send the form around it.
    event.preventDefault();
    add();
  }

  return (
    <div className="grid gap-2.5">
      <RuleChips
        rules={rules}
        servers={servers}
        onRemove={(rule) => onChange(rules.filter((entry) => entry !== rule))}
      />
      <div className="grid gap-1.5">
        <label htmlFor={id} className="text-sm">
          Server, tool or pattern
        </label>
        <div className="flex gap-2">
          <input
            id={id}
            value={text}
            onChange={(event) => setText(event.target.value.trim())}
            onKeyDown={onKeyDown}
            onBlur={add}
            list={`${id}-names`}
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
            aria-invalid={isWrong || undefined}
            aria-describedby={`${id}-hint`}
            className={`${controlLook} font-mono`}
          />
          <Button onClick={add}>Add</Button>
        </div>
        <datalist id={`${id}-names`}>
          {servers
            .flatMap((server) => [server.id, ...server.tools.map(({ name }) => name)])
            .map((name) => (
              <option key={name} value={name} />
            ))}
        </datalist>
        <p id={`${id}-hint`} className={`text-xs ${isWrong ? "text-danger" : "text-muted"}`}>
          {isWrong
            ? "Small letters, digits, underscores and *, and more than a * alone."
            : "Such as github, slack_send_* or *_search_*; a * stands for any characters."}
        </p>
      </div>
    </div>
  );
}

function RuleChips({
  rules,
  servers,
  onRemove,
}: {
  rules: string[];
  servers: Server[];
  onRemove: (rule: string) => void;
}) {
  if (rules.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-1.5" aria-label="Rules">
      {rules.map((rule) => {
        const count = countAllowedTools(servers, [rule]);
        return (
          <li
            key={rule}
            className={`inline-flex items-center gap-1.5 rounded-md py-0.5 pr-0.5 pl-2 text-xs ${count === 0 ? "bg-warning-soft text-warning" : "bg-hover"}`}
          >
            <code className="wrap-anywhere">{rule}</code>
            <span className={count === 0 ? undefined : "text-muted"}>{count === 0 ? "fits nothing" : count}</span>
            <button
              type="button"
              aria-label={`Remove the rule ${rule}`}
              className="rounded p-1 hover:bg-surface"
              onClick={() => onRemove(rule)}
            >
              <X className="size-3.5" aria-hidden="true" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
