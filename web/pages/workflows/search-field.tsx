import { Search } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { controlLook } from "../../parts/field.tsx";

type SearchFieldProps = { label: string; placeholder: string; value: string; onChange: (text: string) => void };

const pauseMs = 200;

/** Asks once somebody pauses typing. */
export function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const tell = useEffectEvent(() => text.trim() !== value && onChange(text.trim()));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the pause.
  useEffect(() => {
    const timer = setTimeout(() => tell(), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);

  // The address changes by itself when somebody goes back.
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    if (text.trim() !== value) setText(value);
  }

  return (
    <div className="relative w-full sm:w-80">
      <Search className="pointer-events-none absolute top-3 left-3 size-4 text-muted" aria-hidden="true" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className={`${controlLook} pl-9`}
      />
    </div>
  );
}
