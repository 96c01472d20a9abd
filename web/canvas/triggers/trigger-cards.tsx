import { getBezierPath, Position, useStore, ViewportPortal } from "@xyflow/react";
import { TriangleAlert } from "lucide-react";
import type { RefObject } from "react";
import type { Canvas } from "../../../src/workflows/wire.ts";
import type { NodeKind } from "../../catalog.ts";
import { useTimeLeft, writeTimeLeft } from "../../pages/triggers/panel/use-listening.ts";
import { alsoDrawn } from "../flow/use-fit-all.ts";
import { boundsOf, cardHeight, cardWidth, findFirstNodes, placeCards } from "./place-cards.ts";
import { useCardsInView } from "./use-cards-in-view.ts";
import type { TriggerCard } from "./use-trigger-cards.ts";

type TriggerCardsProps = {
  organizationId: string;
  canvas: Canvas;
  kinds: ReadonlyMap<string, NodeKind>;
  frame: RefObject<HTMLDivElement | null>;
  cards: readonly TriggerCard[];
  openPanel: string | undefined;
  /** Without a panel what is open is closed. */
  onOpen: (panel: string | undefined, byKeyboard: boolean) => void;
};

/** What starts the workflow, drawn before its first nodes. The cards are no nodes: they are not moved, copied or saved with the canvas. */
export function TriggerCards({ organizationId, canvas, kinds, frame, cards, openPanel, onOpen }: TriggerCardsProps) {
  const firstNodes = usePlaces(findFirstNodes(canvas));
  const places = placeCards(cards.length, firstNodes);
  const bounds = boundsOf(places);
  const open = places[cards.findIndex(({ panel }) => panel === openPanel)];
  useCardsInView({ canvas, kinds, frame, bounds, open });
  return (
    <ViewportPortal>
      <svg
        {...{ [alsoDrawn]: bounds && JSON.stringify(bounds) }}
        aria-hidden="true"
        className="pointer-events-none absolute overflow-visible"
      >
        {places.flatMap((from) =>
          firstNodes.map((to) => (
            <path
              key={`${from.y} ${to.id}`}
              d={pathBetween(from, to)}
              fill="none"
              className="stroke-field stroke-[1.5]"
            />
          )),
        )}
      </svg>
      {cards.map((card, index) => (
        <Card
          key={card.id}
          organizationId={organizationId}
          card={card}
          place={places[index] ?? { x: 0, y: 0 }}
          isOpen={openPanel === card.panel}
          onOpen={onOpen}
        />
      ))}
    </ViewportPortal>
  );
}

type CardProps = Pick<TriggerCardsProps, "organizationId" | "onOpen"> & {
  card: TriggerCard;
  place: { x: number; y: number };
  isOpen: boolean;
};

/** Round on the left: nothing leads to it. */
function Card({ organizationId, card, place, isOpen, onOpen }: CardProps) {
  const { title, state, Icon, isOn, problem, panel, triggerId } = card;
  return (
    <button
      type="button"
      aria-pressed={isOpen}
      title={problem ?? undefined}
      // A press of a key is told as a click without a place.
      onClick={(event) => onOpen(panel, event.detail === 0)}
      onKeyDown={(event) => event.key === "Escape" && onOpen(undefined, false)}
      style={{ width: cardWidth, height: cardHeight, transform: `translate(${place.x}px, ${place.y}px)` }}
      className={`nopan nodrag pointer-events-auto absolute flex items-center gap-3 rounded-xl rounded-l-[29px] border bg-surface px-3 text-left text-sm hover:border-accent ${isOpen ? "border-accent ring-2 ring-accent" : problem ? "border-warning" : "border-line"} ${isOn ? "" : "border-dashed"}`}
    >
      <span className="flex size-9 shrink-0 items-center justify-center rounded-full bg-accent-soft text-accent">
        <Icon className="size-5" aria-hidden="true" />
      </span>
      <span className="grid min-w-0 flex-1">
        <span className="truncate font-medium">
          <span className="sr-only">Trigger </span>
          {title}
        </span>
        {triggerId ? (
          <WebhookState organizationId={organizationId} triggerId={triggerId} state={state} />
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

type Placed = { id: string; x: number; y: number };

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

function pathBetween(from: { x: number; y: number }, to: { x: number; y: number }): string {
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
