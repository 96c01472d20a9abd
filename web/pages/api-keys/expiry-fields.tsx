import { useId } from "react";
import { controlLook } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { type Expiry, expiryChoices, tomorrow } from "./expiry.ts";

/** When the key stops by itself. */
export function ExpiryFields({ expiry, onChange }: { expiry: Expiry; onChange: (expiry: Expiry) => void }) {
  const id = useId();
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium">Expires</legend>
      <div className="flex flex-wrap gap-2">
        {expiryChoices.map(({ id: choice, title }) => (
          <label
            key={choice}
            className="relative cursor-pointer rounded-full border border-line px-3 py-1.5 text-sm hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={`${id}-expiry`}
              className="absolute inset-0 cursor-pointer appearance-none rounded-full outline-none"
              checked={expiry.choice === choice}
              onChange={() => onChange({ ...expiry, choice })}
            />
            {title}
          </label>
        ))}
      </div>
      {expiry.choice === "date" && (
        <label className="grid max-w-60 gap-1.5 text-sm">
          Last day
          <input
            type="date"
            name="expiresAt"
            required
            min={tomorrow()}
            value={expiry.date}
            onChange={(event) => onChange({ ...expiry, date: event.target.value })}
            className={controlLook}
          />
        </label>
      )}
      {expiry.choice === "never" && (
        <Notice kind="warning">
          A key that never expires works for whoever finds it, until you delete it. Prefer a year.
        </Notice>
      )}
    </fieldset>
  );
}
