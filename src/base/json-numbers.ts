/** A number in a JSON text that would become another one. */
export type Inexact = { start: number; end: number; fault: string };

export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** With fewer characters and without an exponent every number is kept as it is. */
const shortestInexact = 16;

export const endOfNumber = (text: string, start: number): number => {
  let end = start + 1;
  for (let code = text.charCodeAt(end); isInNumber(code); code = text.charCodeAt(end)) end += 1;
  return end;
};

/** Digits, point, signs, and e in both sizes. */
const isInNumber = (code: number): boolean =>
  isDigit(code) || code === 0x2e || code === 0x2b || code === 0x2d || (code | 0x20) === 0x65;

/** What is wrong with the number in this part of a JSON text, if it is. */
export function findInexact(text: string, from: number, end: number): Inexact | undefined {
  const digits = text.slice(from, end);
  if (digits.length < shortestInexact && !/e/i.test(digits)) return undefined;
  const fault = findNumberFault(digits);
  return fault === undefined ? undefined : { start: text[from - 1] === "-" ? from - 1 : from, end, fault };
}

function findNumberFault(digits: string): string | undefined {
  const value = Number(digits);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? undefined : "number too large to be kept";
  if (value === 0) return /[1-9]/.test(digits.split(/e/i, 1)[0] ?? "") ? "number too small to be kept" : undefined;
  return /^\d+$/.test(digits) && String(value) !== digits
    ? "whole number too large to be kept exactly; send it as text"
    : undefined;
}

/** The value of a JSON text in which numbers that would become others stay as they were written, as texts. */
export const parseForRecord = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, ...[context]: { source?: string }[]) => {
    const source = typeof value === "number" ? context?.source : undefined;
    return source !== undefined && findInexact(source, source.startsWith("-") ? 1 : 0, source.length) ? source : value;
  });
