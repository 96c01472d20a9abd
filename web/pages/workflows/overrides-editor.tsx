import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { Canvas, CanvasNode, NodeOverride } from "../../../src/workflows/wire.ts";
import { credentialsQuery } from "../../api/credentials.ts";
import { type NodeKind, nodeKindsQuery } from "../../catalog.ts";
import { controlLook } from "../../parts/field.tsx";
import { NodeIcon } from "../../parts/node-icon.tsx";

type OverridesEditorProps = {
  organizationId: string;
  canvas: Canvas;
  value: NodeOverride[];
  onChange: (value: NodeOverride[]) => void;
};

/** What a run may have otherwise than the canvas: for each node with an instruction or an account, both can be replaced. */
export function OverridesEditor({ organizationId, canvas, value, onChange }: OverridesEditorProps) {
  const kinds = useQuery(nodeKindsQuery).data;
  const nodes = canvas.nodes.filter((node) => node.instruction || typesOf(node, kinds).length > 0);
  const replace = (id: string, override: NodeOverride | undefined) =>
    onChange([...value.filter((other) => other.id !== id), ...(override ? [override] : [])]);

  if (nodes.length === 0)
    return <p className="text-sm text-muted">No node of this workflow has an instruction or an account.</p>;
  return (
    <ul className="grid gap-2">
      {nodes.map((node) => (
        <NodeOverrideFields
          key={node.id}
          organizationId={organizationId}
          node={node}
          kind={kinds?.get(node.nodeId)}
          value={value.find(({ id }) => id === node.id)}
          onChange={(override) => replace(node.id, override)}
        />
      ))}
    </ul>
  );
}

type NodeOverrideFieldsProps = {
  organizationId: string;
  node: CanvasNode;
  kind: NodeKind | undefined;
  value: NodeOverride | undefined;
  onChange: (override: NodeOverride | undefined) => void;
};

function NodeOverrideFields({ organizationId, node, kind, value, onChange }: NodeOverrideFieldsProps) {
  const title = node.name || kind?.title || node.id;
  const types = [...new Set([...Object.keys(node.credentials ?? {}), ...(kind?.credentials ?? [])])];
  const { runtimeInstruction: _replaced, ...withoutInstruction } = value ?? { id: node.id };
  return (
    <li className="grid gap-3 rounded-lg border border-line px-3 py-2.5">
      <label className="flex items-center gap-2.5 text-sm">
        <input
          type="checkbox"
          checked={value !== undefined}
          onChange={(event) => onChange(event.target.checked ? asOnCanvas(node) : undefined)}
          className="accent-accent"
        />
        <NodeIcon nodeId={node.nodeId} providerId={kind?.provider?.id ?? null} className="size-4" />
        <span className="min-w-0 wrap-anywhere">{title}</span>
      </label>
      {value && (
        <>
          <InstructionField
            title={title}
            text={value.runtimeInstruction ?? ""}
            onChange={(text) =>
              onChange(text === "" ? withoutInstruction : { ...withoutInstruction, runtimeInstruction: text })
            }
          />
          {types.map((type) => (
            <AccountField
              key={type}
              organizationId={organizationId}
              title={title}
              type={type}
              reference={value.credentials?.[type] ?? ""}
              onChange={(reference) => onChange(withCredential(value, type, reference))}
            />
          ))}
        </>
      )}
    </li>
  );
}

function InstructionField({
  title,
  text,
  onChange,
}: {
  title: string;
  text: string;
  onChange: (text: string) => void;
}) {
  const id = useId();
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-xs font-medium text-muted">
        Instruction of these runs <span className="sr-only">for {title}</span>
      </label>
      <textarea
        id={id}
        rows={2}
        maxLength={20_000}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        className={controlLook}
      />
    </div>
  );
}

type AccountFieldProps = {
  organizationId: string;
  title: string;
  type: string;
  reference: string;
  onChange: (reference: string) => void;
};

function AccountField({ organizationId, title, type, reference, onChange }: AccountFieldProps) {
  const id = useId();
  const accounts = (useQuery(credentialsQuery(organizationId)).data ?? []).filter((account) => account.type === type);
  const isKnown = reference === "" || accounts.some((account) => account.reference === reference);
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-xs font-medium text-muted">
        Account ({type}) <span className="sr-only">for {title}</span>
      </label>
      <select id={id} value={reference} onChange={(event) => onChange(event.target.value)} className={controlLook}>
        <option value="">As on the canvas</option>
        {!isKnown && <option value={reference}>{reference}</option>}
        {accounts.map((account) => (
          <option key={account.id} value={account.reference}>
            {account.name}
          </option>
        ))}
      </select>
    </div>
  );
}

const typesOf = (node: CanvasNode, kinds: Map<string, NodeKind> | undefined): string[] => [
  ...Object.keys(node.credentials ?? {}),
  ...(kinds?.get(node.nodeId)?.credentials ?? []),
];

/** What the canvas says, to change it from there. */
const asOnCanvas = ({ id, instruction, credentials }: CanvasNode): NodeOverride => ({
  id,
  ...(instruction && { runtimeInstruction: instruction }),
  ...(credentials && Object.keys(credentials).length > 0 && { credentials }),
});

function withCredential({ credentials, ...override }: NodeOverride, type: string, reference: string): NodeOverride {
  const { [type]: _replaced, ...others } = credentials ?? {};
  const all = reference === "" ? others : { ...others, [type]: reference };
  return Object.keys(all).length === 0 ? override : { ...override, credentials: all };
}
