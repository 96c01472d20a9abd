import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ellipsis, RefreshCw, ScanSearch, SquarePen, Trash } from "lucide-react";
import type { Trigger } from "../../../src/triggers/wire.ts";
import { changeTrigger, testTrigger } from "../../api/triggers.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Menu, MenuItem, MenuLine } from "../../parts/menu.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Switch } from "../../parts/switch.tsx";
import type { MyOrganization } from "../../session.ts";
import { KeptItems } from "./kept-items.tsx";
import { kindLooks } from "./kinds.ts";
import { TriggerFacts } from "./trigger-facts.tsx";
import { useLookNow } from "./use-look-now.ts";

type TriggerRowProps = {
  organization: MyOrganization;
  trigger: Trigger;
  refresh: () => Promise<unknown>;
  onEdit: () => void;
  onDelete: () => void;
  onNewAddress: () => void;
  onSample: () => void;
};

export function TriggerRow({ organization, trigger, refresh, ...on }: TriggerRowProps) {
  const builds = organization.role !== "viewer";
  const test = useMutation({ mutationFn: () => testTrigger(organization.id, trigger.id) });
  const { Icon } = kindLooks[trigger.kind];
  const { look, lookAgain, isLooking, error: notLooked } = useLookNow(organization.id, trigger, refresh);
  return (
    <li className="grid gap-3 px-5 py-4 sm:px-6">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <Icon className="mt-0.5 size-5 shrink-0 text-muted" aria-hidden="true" />
        <div className="min-w-0 flex-1 basis-56">
          <h2 className="text-base font-medium wrap-anywhere">{trigger.name}</h2>
          <TriggerFacts organizationId={organization.id} trigger={trigger} />
        </div>
        {builds ? (
          <div className="flex flex-wrap items-center gap-2">
            <Switch
              label={`“${trigger.name}” is on`}
              on={trigger.active}
              change={async (active) => {
                await changeTrigger(organization.id, trigger.id, { active });
                await refresh();
              }}
            />
            {trigger.poll && trigger.active && (
              <Button aria-label={`Look now: “${trigger.name}”`} busy={isLooking} onClick={look}>
                Look now
              </Button>
            )}
            <Button aria-label={`Test “${trigger.name}”`} busy={test.isPending} onClick={() => test.mutate()}>
              Test
            </Button>
            <RowMenu trigger={trigger} {...on} />
          </div>
        ) : (
          <Badge>{trigger.active ? "On" : "Off"}</Badge>
        )}
      </div>
      {trigger.poll && (
        <KeptItems
          trigger={trigger}
          {...trigger.poll.faultyItems}
          busy={isLooking}
          retry={builds ? lookAgain : undefined}
        />
      )}
      {notLooked && <ProblemNotice error={notLooked} />}
      {test.isError && <ProblemNotice error={test.error} />}
      {test.data && (
        <Notice kind="success">
          A run has started.{" "}
          <Link
            to="/o/$organizationId/runs/$runId"
            params={{ organizationId: organization.id, runId: test.data.id }}
            className="underline underline-offset-4"
          >
            Open the run
          </Link>
        </Notice>
      )}
    </li>
  );
}

type RowMenuProps = Pick<TriggerRowProps, "trigger" | "onEdit" | "onDelete" | "onNewAddress" | "onSample">;

function RowMenu({ trigger, onEdit, onDelete, onNewAddress, onSample }: RowMenuProps) {
  return (
    <div className="shrink-0">
      <Menu label={`More for “${trigger.name}”`} trigger={<Ellipsis className="size-4" aria-hidden="true" />}>
        <MenuItem onSelect={onEdit}>
          <SquarePen className="size-4 text-muted" aria-hidden="true" />
          Edit
        </MenuItem>
        {trigger.poll && (
          <MenuItem onSelect={onSample}>
            <ScanSearch className="size-4 text-muted" aria-hidden="true" />
            See a sample
          </MenuItem>
        )}
        {trigger.kind === "webhook" && (
          <MenuItem onSelect={onNewAddress}>
            <RefreshCw className="size-4 text-muted" aria-hidden="true" />
            Make a new address
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem onSelect={onDelete}>
          <Trash className="size-4 text-danger" aria-hidden="true" />
          Delete
        </MenuItem>
      </Menu>
    </div>
  );
}
