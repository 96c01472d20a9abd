/** Puts a text into the clipboard. Select it on the page first, where it stands there: some browsers copy nothing else over plain http. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Browsers offer no clipboard over plain http, as on a home network; the old command still copies there.
    return copyByCommand(text);
  }
}

function copyByCommand(text: string): boolean {
  const put = (event: ClipboardEvent) => {
    // What has the focus has a text of its own to copy.
    event.stopPropagation();
    event.preventDefault();
    event.clipboardData?.setData("text/plain", text);
  };
  document.addEventListener("copy", put, { capture: true });
  try {
    return document.execCommand("copy");
  } finally {
    document.removeEventListener("copy", put, { capture: true });
  }
}
