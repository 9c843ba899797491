// Files to the server, and from it.

import { token } from "./connection";
import type { Shell } from "./shell";

/** Sends a file; returns what places call it, or nothing when that failed, which the page says. */
export async function upload(file: File, shell: Shell): Promise<string | null> {
  const name = file.name.replace(/[^\p{L}\p{N}._ -]/gu, "_");
  const address = `/upload/${encodeURIComponent(name)}?token=${encodeURIComponent(token())}`;
  try {
    const answer = await fetch(address, { method: "POST", body: file });
    const said = await answer.text();
    if (answer.ok) return said;
    shell.complain(answer.status === 413 ? `${file.name} is too large.` : said);
  } catch {
    shell.complain(`${file.name} could not be sent to pliant.`);
  }
  return null;
}

/** Lets the browser keep a file that a place has made. */
export function download(name: string): void {
  const link = document.createElement("a");
  link.href = `/made/${encodeURIComponent(name)}?token=${encodeURIComponent(token())}`;
  link.download = name;
  link.click();
}
