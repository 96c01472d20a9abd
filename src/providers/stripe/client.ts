import { refuseInput } from "../../contract/refuse-input.ts";

export function requireLength(pointer: string, text: string | undefined, longest: number): void {
  if (text !== undefined && text.length > longest) throw refuseInput(pointer, `must not have more than ${longest} characters`);
}
