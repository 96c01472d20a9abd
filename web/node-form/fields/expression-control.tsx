import { controlLook } from "../../parts/field.tsx";
import { ExpressionPreview } from "../expressions/expression-preview.tsx";
import { SuggestionList } from "../expressions/suggestion-list.tsx";
import { useReferenceField } from "../expressions/use-reference-field.ts";
import { isReference, readText, writeText } from "../field-values.ts";
import type { ControlProps } from "../form-context.ts";

type ExpressionControlProps = ControlProps & {
  /** JSONata as it stands, without braces. */
  isBare: boolean;
  isLong?: boolean;
  /** Whether it says below what comes out. */
  hasPreview?: boolean;
};

/** A text with references, or an expression: completes while one writes and shows what comes out. */
export function ExpressionControl({ isBare, isLong = false, hasPreview = true, ...control }: ExpressionControlProps) {
  const { id, label, readOnly, value, onChange } = control;
  const text = writeText(value);
  const { field, completion, isOpen, preview, onFocus, onDrop } = useReferenceField({
    text,
    isBare,
    readOnly,
    onChange,
  });
  const isExpression = text !== "" && (isBare || isReference(value));
  return (
    <>
      <div className="relative min-w-0">
        <textarea
          ref={field}
          id={id}
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={isOpen}
          aria-controls={`${id}-references`}
          aria-activedescendant={isOpen ? `${id}-references-${completion.active}` : undefined}
          aria-describedby={control.describedBy}
          aria-invalid={control.isInvalid || undefined}
          aria-required={control.isRequired || undefined}
          autoComplete="off"
          spellCheck={isLong}
          rows={rowsFor(text, isLong)}
          readOnly={readOnly}
          placeholder={control.placeholder ?? (isBare ? "$input.price > 2" : undefined)}
          value={text}
          onFocus={onFocus}
          onChange={(event) => {
            onChange(readText(event.target.value));
            completion.look(event.target.value, event.target.selectionStart);
          }}
          onKeyDown={(event) => {
            completion.onKeyDown(event);
            // A line break in what is usually one line is mostly a slip; with Shift it is meant.
            if (event.key === "Enter" && !event.shiftKey && !isLong && !isBare) event.preventDefault();
          }}
          onBlur={completion.close}
          onDrop={onDrop}
          className={`${controlLook} block max-h-80 ${isLong ? "resize-y" : "resize-none"} ${isExpression ? "font-mono text-xs! leading-6" : ""}`}
        />
        {isOpen && (
          <SuggestionList
            id={`${id}-references`}
            label={label}
            offered={completion.offered}
            active={completion.active}
            onChoose={completion.choose}
          />
        )}
      </div>
      {hasPreview && isExpression && preview && (
        <ExpressionPreview label={label} value={value} isBare={isBare} preview={preview} />
      )}
    </>
  );
}

function rowsFor(text: string, isLong: boolean): number {
  // Fields of the panel hold about fifty characters in a line.
  const lines = text.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / 50), 0);
  return Math.min(12, Math.max(isLong ? 3 : 1, lines));
}
