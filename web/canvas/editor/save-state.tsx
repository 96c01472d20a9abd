import { CircleAlert, CircleCheck, CloudOff, LoaderCircle, TriangleAlert } from "lucide-react";
import { Popover } from "radix-ui";
import { useRef } from "react";
import { isApiProblem } from "../../problem.ts";
import type { Remark } from "../save/remarks.ts";
import type { Saving } from "../save/use-autosave.ts";
import { counted } from "../words.ts";

type SaveStateProps = { saving: Saving; onShow: (remark: Remark) => void };

/** Whether everything is saved, in words; what hinders it can be opened and leads to its field. */
export function SaveState({ saving: { state, remarks }, onShow }: SaveStateProps) {
  const { faults, warnings } = remarks;
  const problems = counted(faults.length, "problem");
  if (state.kind === "offline") return <Words Icon={CloudOff} look="text-warning" text="Not saved, trying again" />;
  if (state.kind === "conflict")
    return <Words Icon={CircleAlert} look="text-danger" text="Not saved: somebody else saved" />;
  if (state.kind === "refused") {
    const reason = isApiProblem(state.error) ? state.error.message : "something went wrong on this page.";
    return <Words Icon={CircleAlert} look="text-danger" text={`Not saved: ${reason}`} />;
  }
  if (state.kind === "changed" || state.kind === "saving")
    return <Words Icon={LoaderCircle} look="text-muted" text="Saving" />;
  if (faults.length > 0)
    return (
      <RemarkList Icon={CircleAlert} look="text-danger" title={`Saved, ${problems}`} remarks={faults} onShow={onShow} />
    );
  if (warnings.length > 0)
    return (
      <RemarkList
        Icon={TriangleAlert}
        look="text-warning"
        title={`Saved, ${counted(warnings.length, "warning")}`}
        remarks={warnings}
        onShow={onShow}
      />
    );
  return <Words Icon={CircleCheck} look="text-muted" text="Saved" />;
}

type Look = { Icon: typeof CircleAlert; look: string };

function Words({ Icon, look, text }: Look & { text: string }) {
  return (
    <p role="status" className={`inline-flex min-w-0 items-center gap-1 text-xs ${look}`}>
      <Icon className="size-3.5 shrink-0" aria-hidden="true" />
      <span className="line-clamp-2">{text}</span>
    </p>
  );
}

type RemarkListProps = Look & { title: string; remarks: readonly Remark[]; onShow: (remark: Remark) => void };

function RemarkList({ Icon, look, title, remarks, onShow }: RemarkListProps) {
  // The focus goes to the field then, not back to where the list was opened.
  const leads = useRef(false);
  return (
    <div role="status">
      <Popover.Root
        onOpenChange={(isOpen) => {
          if (isOpen) leads.current = false;
        }}
      >
        <Popover.Trigger
          className={`inline-flex min-h-6 items-center gap-1 rounded-md text-xs underline underline-offset-4 hover:bg-hover ${look}`}
        >
          <Icon className="size-3.5 shrink-0" aria-hidden="true" />
          {title}
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            aria-label={title}
            onCloseAutoFocus={(event) => leads.current && event.preventDefault()}
            align="start"
            sideOffset={6}
            collisionPadding={8}
            className="z-40 max-h-80 w-80 overflow-y-auto rounded-lg border border-line bg-raised p-1.5 shadow-lg"
          >
            <ul>
              {remarks.map((remark, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the same words may stand twice, and the list is replaced as a whole.
                <li key={index}>
                  <Popover.Close
                    onClick={() => {
                      leads.current = true;
                      onShow(remark);
                    }}
                    className="w-full rounded-md px-2.5 py-1.5 text-left text-sm wrap-anywhere hover:bg-hover"
                  >
                    {remark.words}
                  </Popover.Close>
                </li>
              ))}
            </ul>
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </div>
  );
}
