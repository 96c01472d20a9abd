/** Puts a text into the clipboard. Select it on the page first: without a clipboard the browser copies the selection. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Browsers offer no clipboard over plain http, as on a home network; the old command still copies the selection there.
    return document.execCommand("copy");
  }
}
