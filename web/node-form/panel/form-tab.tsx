import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { allWorkflowsQuery } from "../../api/workflows.ts";
import { DataViewer } from "../../parts/data-viewer.tsx";
import { CurlImport } from "../curl/curl-import.tsx";
import type { Expressions } from "../expressions/expressions.ts";
import { isSchema, type Schema } from "../field-shape.ts";
import { setField } from "../field-values.ts";
import { FaultLines } from "../fields/fault-lines.tsx";
import { UnknownFields } from "../fields/unknown-fields.tsx";
import { SchemaForm } from "../schema-form.tsx";
import { changeNode } from "./change-node.ts";
import { CredentialField } from "./credential-field.tsx";
import { faultsBelow, unplacedFaults } from "./faults-below.ts";
import { InstructionField } from "./instruction-field.tsx";
import { ModelAccountField, modelCredentialTypes } from "./model-account-field.tsx";
import type { NodePanelProps } from "./node-panel-props.ts";
import { PanelBody } from "./panel-body.tsx";
import { useChoiceSource } from "./use-choice-source.ts";

type FormTabProps = NodePanelProps & { idPrefix: string; expressions: Expressions };

/** What the node does, and with which account. */
export function FormTab(props: FormTabProps) {
  const { node, kind, faults, readOnly, onChange, idPrefix, expressions } = props;
  const schema = useSchema(props);
  const choicesFrom = useChoiceSource(props);
  const hasFields = Object.keys(isSchema(schema.properties) ? schema.properties : {}).length > 0;
  return (
    <PanelBody>
      {!kind && (
        <p className="text-sm text-danger wrap-anywhere">This installation has no node of the type {node.nodeId}.</p>
      )}
      <FaultLines id={`${idPrefix}-fault`} label="This node" faults={unplacedFaults(faults)} />
      {kind?.credentials.map((type) => (
        <CredentialField key={type} {...props} type={type} id={`${idPrefix}/credentials/${type}`} />
      ))}
      <UnknownFields
        names={
          kind
            ? Object.keys(node.credentials ?? {}).filter(
                (type) => ![...kind.credentials, ...kind.alsoTakes, ...modelCredentialTypes].includes(type),
              )
            : []
        }
        readOnly={readOnly}
        onRemove={(type) =>
          onChange(
            changeNode(
              node,
              "credentials",
              setField(node.credentials ?? {}, type, undefined) as Record<string, string>,
            ),
          )
        }
      />
      {!kind && node.parameters && <DataViewer value={node.parameters} label="parameters" />}
      {kind && !hasFields && <p className="text-sm text-muted">This node has no parameters.</p>}
      <Importable {...props}>
        <SchemaForm
          key={node.id}
          schema={schema}
          value={node.parameters ?? {}}
          onChange={(parameters) => onChange(changeNode(node, "parameters", parameters))}
          faults={faultsBelow(faults, "/parameters")}
          expressions={expressions}
          readOnly={readOnly}
          unreadTexts={props.unreadTexts}
          choicesFrom={choicesFrom}
          idPrefix={`${idPrefix}/parameters`}
        />
      </Importable>
      {hasFields && <InstructionField {...props} />}
      {(node.instruction || node.nodeId === "ai_answer") && <ModelAccountField {...props} />}
    </PanelBody>
  );
}

/** A request may also come from a curl command. */
function Importable({ node, readOnly, onChange, children }: NodePanelProps & { children: ReactNode }) {
  if (node.nodeId !== "http_request" || readOnly) return children;
  return (
    <CurlImport
      parameters={node.parameters ?? {}}
      onChange={(parameters) => onChange(changeNode(node, "parameters", parameters))}
    >
      {children}
    </CurlImport>
  );
}

/** The schema of the parameters; other workflows are chosen by their names. */
function useSchema({ organizationId, workflowId, node, kind }: NodePanelProps): Schema {
  const schema = kind?.inputSchema ?? anything;
  const workflows = useQuery({ ...allWorkflowsQuery(organizationId), enabled: node.nodeId === "call_workflow" }).data;
  if (node.nodeId !== "call_workflow" || !workflows || !isSchema(schema.properties)) return schema;
  const others = workflows.filter(({ id }) => id !== workflowId).map(({ id, name }) => ({ const: id, title: name }));
  const { workflowId: field } = schema.properties;
  return {
    ...schema,
    properties: {
      ...schema.properties,
      workflowId: { ...(isSchema(field) ? field : {}), title: "Workflow", oneOf: others },
    },
  };
}

const anything: Schema = { type: "object" };
