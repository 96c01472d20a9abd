import { getBezierPath, Position, useStore, ViewportPortal } from "@xyflow/react";
import { TriangleAlert } from "lucide-react";
import { type RefObject, use } from "react";
import { useTimeLeft, writeTimeLeft } from "../../pages/triggers/panel/use-listening.ts";
import type { Editor } from "../editor/use-editor.ts";
import { FlowActionsContext } from "../flow/flow-actions.ts";
import { MoreButton } from "../flow/more-button.tsx";
import { alsoDrawn, chosenDrawn } from "../flow/use-fit-all.ts";
import { cardElementId } from "./panel-names.ts";
import { PinnedTrigger } from "./pinned-trigger.tsx";
import { type Bounds, boundsOf, cardHeight, cardWidth, findFirstNodes, type Point, placeCards } from "./place-cards.ts";
import { useCardsInView } from "./use-cards-in-view.ts";
import { type TriggerCard, useTriggerCards } from "./use-trigger-cards.ts";

export type CardPanels = {
  /** What is open beside the canvas, other than a node. */
  openPanel: string | undefined;
  /** Without a panel what is open is closed. */
  onPanel: (panel: string | undefined, byKeyboard: boolean) => void;
};

type TriggerCardsProps = CardPanels & {
  editor: Editor;
  frame: RefObject<HTMLDivElement | null>;
};

/** What starts the workflow, drawn before its first nodes. The cards are no nodes: they are not moved, copied or saved with the canvas. */
export function TriggerCards({ editor, frame, openPanel, onPanel }: TriggerCardsProps) {
  const { organizationId, workflow, canvas, kinds } = editor;
  const cards = useTriggerCards(organizationId, workflow);
  const firstNodes = usePlaces(findFirstNodes(canvas));
  const places = placeCards(cards.length, firstNodes);
  const bounds = boundsOf(places);
  // What runs begin with is above what starts them, also while nothing does.
  const [pinAt = { x: 0, y: 0 }] = placeCards(Math.max(1, cards.length), firstNodes);
  const open = places[cards.findIndex(({ panel }) => panel === openPanel)];
  useCardsInView({ canvas, kinds, frame, bounds });
  return (
    <ViewportPortal>
      <Lines from={places} to={firstNodes} drawn={{ [alsoDrawn]: bounds, [chosenDrawn]: open && boundsOf([open]) }} />
      <div className="absolute" style={{ transform: `translate(${pinAt.x}px, ${pinAt.y - 34}px)` }}>
        <PinnedTrigger organizationId={organizationId} workflowId={workflow.id} />
      </div>
      {cards.map((card, index) => (
        <Card
          key={card.id}
          organizationId={organizationId}
          card={card}
          place={places[index] ?? { x: 0, y: 0 }}
          isOpen={openPanel === card.panel}
          onPanel={onPanel}
        />
      ))}
    </ViewportPortal>
  );
}

type LinesProps = {
  from: readonly Point[];
  to: readonly Placed[];
  /** What the view is told, by attribute. */
  drawn: Record<string, Bounds | undefined>;
};

function Lines({ from, to, drawn }: LinesProps) {
  const told = Object.entries(drawn).map(([name, bounds]) => [name, bounds && JSON.stringify(bounds)]);
  return (
    <svg {...Object.fromEntries(told)} aria-hidden="true" className="pointer-events-none absolute overflow-visible">
      {from.flatMap((start) =>
        to.map((end) => (
          <path
            key={`${start.y} ${end.id}`}
            d={pathBetween(start, end)}
            className="fill-none stroke-field stroke-[1.5]"
          />
        )),
      )}
    </svg>
  );
}

type CardProps = Pick<CardPanels, "onPanel"> & {
  organizationId: string;
  card: TriggerCard;
  place: Point;
  isOpen: boolean;
};

/** Round on the left: nothing leads to it. */
function Card({ organizationId, card, place, isOpen, onPanel }: CardProps) {
  const { title, state, Icon, isOn, problem, panel, trigger } = card;
  const openMenu = use(FlowActionsContext)?.openMenu;
  const target = { kind: "card", cardId: card.id } as const;
  return (
    <div
      className="group/box nopan nodrag pointer-events-auto absolute"
      style={{ width: cardWidth, height: cardHeight, transform: `translate(${place.x}px, ${place.y}px)` }}
    >
      <button
        type="button"
        id={cardElementId(card.id)}
        aria-pressed={isOpen}
        title={problem ?? undefined}
        // A press of a key is told as a click without a place.
        onClick={(event) => onPanel(panel, event.detail === 0)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onPanel(undefined, false);
          if (!openMenu || !(event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey))) return;
          event.preventDefault();
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          openMenu(target, { x: left, y: bottom });
        }}
        onContextMenu={(event) => {
          // Otherwise the canvas below would ask, too.
          event.stopPropagation();
          if (!openMenu) return;
          event.preventDefault();
          openMenu(target, { x: event.clientX, y: event.clientY });
        }}
        className={`flex size-full items-center gap-3 rounded-xl rounded-l-[29px] border bg-surface px-3 text-left text-sm hover:border-accent ${isOpen ? "border-accent ring-2 ring-accent" : problem ? "border-warning" : "border-line"} ${isOn ? "" : "border-dashed"}`}
      >
        <span className="flex size-9 shrink-0 items-center justify-center rounded-full bg-accent-soft text-accent">
          <Icon className="size-5" aria-hidden="true" />
        </span>
        <span className="grid min-w-0 flex-1">
          <span className="truncate font-medium">
            <span className="sr-only">Trigger </span>
            {title}
          </span>
          {trigger?.kind === "webhook" ? (
            <WebhookState organizationId={organizationId} triggerId={trigger.id} state={state} />
          ) : (
            <span className="truncate text-xs text-muted">{state}</span>
          )}
        </span>
        {problem && (
          <>
            <TriangleAlert className="size-4 shrink-0 text-warning" aria-hidden="true" />
            <span className="sr-only">{problem}</span>
          </>
        )}
      </button>
      <div className="absolute -top-3 right-3">
        <MoreButton
          target={target}
          title="this trigger"
          className="hidden group-focus-within/box:flex group-hover/box:flex"
        />
      </div>
    </div>
  );
}

function WebhookState({
  organizationId,
  triggerId,
  state,
}: {
  organizationId: string;
  triggerId: string;
  state: string;
}) {
  const { leftMs } = useTimeLeft({ organizationId, triggerId });
  if (leftMs === 0) return <span className="truncate text-xs text-muted">{state}</span>;
  return (
    <span className="flex items-center gap-1.5 truncate text-xs text-accent tabular-nums">
      <span className="size-2 shrink-0 rounded-full bg-accent motion-safe:animate-pulse" aria-hidden="true" />
      Listening · {writeTimeLeft(leftMs)} left
    </span>
  );
}

type Placed = Point & { id: string };

/** Where nodes stand, also while they are dragged. As a text, so that nothing is drawn anew unless one of them moved. */
function usePlaces(ids: readonly string[]): Placed[] {
  const text = useStore(({ nodeLookup }) =>
    JSON.stringify(
      ids.flatMap((id) => {
        const place = nodeLookup.get(id)?.internals.positionAbsolute;
        return place ? [{ id, x: place.x, y: place.y }] : [];
      }),
    ),
  );
  return JSON.parse(text) as Placed[];
}

function pathBetween(from: Point, to: Point): string {
  const [path] = getBezierPath({
    sourceX: from.x + cardWidth,
    sourceY: from.y + cardHeight / 2,
    sourcePosition: Position.Right,
    targetX: to.x,
    targetY: to.y + cardHeight / 2,
    targetPosition: Position.Left,
  });
  return path;
}
