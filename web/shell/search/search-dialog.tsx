import { useRouter } from "@tanstack/react-router";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useState } from "react";
import { buttonLook } from "../../parts/button.tsx";
import { PickList } from "../../parts/pick-list.tsx";
import { wordsOf } from "../../parts/rank-text.ts";
import { Status } from "../../parts/status.tsx";
import { type MyOrganization, useMe } from "../../session.ts";
import { type Kind, kindIcons, kinds, type Place } from "./place.ts";
import { noteRecentPlace, type RecentPlace, readRecentPlaces } from "./recent-places.ts";
import { readSign, searchPlaces } from "./search-places.ts";
import { usePlaces } from "./use-places.ts";

type SearchDialogProps = { organization: MyOrganization; onClose: () => void };

/** One list over all that a person can go to or do. The whole screen where that is narrow. */
export function SearchDialog({ organization, onClose }: SearchDialogProps) {
  const [before] = useState(() => document.activeElement);
  return (
    <Radix.Root open onOpenChange={onClose}>
      <Radix.Portal>
        <div className="fixed inset-0 z-60 bg-shade" />
        <Radix.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // Not back to a page that was left.
            if (before instanceof HTMLElement && before.isConnected) before.focus();
          }}
          className="fixed inset-0 z-60 flex flex-col bg-raised p-3 sm:inset-x-0 sm:top-[12dvh] sm:bottom-auto sm:mx-auto sm:h-[min(34rem,76dvh)] sm:w-[min(42rem,calc(100%-2rem))] sm:rounded-xl sm:border sm:border-line sm:shadow-xl"
        >
          <Radix.Title className="sr-only">Search everywhere</Radix.Title>
          <Search organization={organization} onClose={onClose} />
          <Hints />
          {/* A touch screen has no Escape. */}
          <Radix.Close className={`${buttonLook("quiet")} min-h-11 sm:hidden`}>Close</Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Search({ organization, onClose }: SearchDialogProps) {
  const router = useRouter();
  const whose = { userId: useMe().user.id, organizationId: organization.id };
  const [text, setText] = useState("");
  const [only, setOnly] = useState<Kind>();
  const [recent] = useState(() => readRecentPlaces(whose));
  const places = usePlaces(organization, text, only);
  const { rest } = readSign(text);

  function open(place: Place): void {
    onClose();
    if (typeof place.open !== "string") {
      place.open();
      return;
    }
    const { id, kind, title, detail, open: link } = place;
    noteRecentPlace(whose, { id, kind, title, detail, link });
    router.history.push(link);
  }

  return (
    <PickList
      label="Search everywhere"
      placeholder={only ? `Search in ${kinds[only].toLowerCase()}` : "Search pages, workflows, nodes, runs, tools"}
      find={(typed) =>
        searchPlaces(places, { text: typed, only, recent: withSigns(recent, places), chosen: ["workflow", "run"] })
      }
      onText={setText}
      idOf={({ id }) => id}
      show={(place) => <Hit place={place} words={wordsOf(rest)} />}
      onPick={open}
      onTab={({ kind }) => setOnly(only === kind ? undefined : kind)}
      nothing={rest === "" ? "Type to search." : `Nothing for “${rest}”.`}
    >
      {only && (
        <p className="px-2 text-sm text-muted">
          Only {kinds[only].toLowerCase()}.{" "}
          <button type="button" className="text-accent underline underline-offset-4" onClick={() => setOnly(undefined)}>
            Show everything
          </button>
        </p>
      )}
    </PickList>
  );
}

/** What is known now stands for what was kept: it has its sign, and the name of today. */
function withSigns(recent: RecentPlace[], places: Place[]): Place[] {
  const known = new Map(places.map((place) => [place.id, place]));
  return recent.map(({ id, kind, title, detail, link }) => {
    const kept = { id, kind, title, detail, synonyms: [], Icon: kindIcons[kind], open: link };
    return known.get(id) ?? kept;
  });
}

function Hit({ place: { Icon, title, detail, status }, words }: { place: Place; words: string[] }) {
  return (
    <>
      <span className="grid size-7 shrink-0 place-items-center rounded-md bg-hover">
        <Icon className="size-4 text-muted" aria-hidden="true" />
      </span>
      <span className="min-w-0 flex-1 truncate" title={`${title} ${detail}`}>
        <Marked text={title} words={words} /> <span className="text-muted">{detail}</span>
      </span>
      {status && <Status status={status} />}
    </>
  );
}

/** What was typed stands out. */
function Marked({ text, words }: { text: string; words: string[] }): ReactNode {
  if (words.length === 0) return text;
  const pattern = new RegExp(`(${words.map((word) => word.replaceAll(/[^\p{L}\p{N}\s]/gu, "\\$&")).join("|")})`, "gi");
  return text.split(pattern).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name.
      <b key={index} className="font-semibold">
        {part}
      </b>
    ) : (
      part
    ),
  );
}

function Hints() {
  return (
    <p className="flex flex-wrap justify-between gap-x-4 gap-y-1 border-t border-line px-2 pt-2.5 text-xs text-muted max-sm:hidden">
      <span>
        <Key>↑</Key> <Key>↓</Key> choose · <Key>Enter</Key> open · <Key>Tab</Key> only this kind
      </span>
      <span>
        <Key>&gt;</Key> actions · <Key>#</Key> runs
      </span>
    </p>
  );
}

function Key({ children }: { children: ReactNode }) {
  return <kbd className="rounded border border-line bg-surface px-1.5 font-sans">{children}</kbd>;
}
