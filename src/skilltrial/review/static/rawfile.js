// Where the bytes of a trial's file are had.

import { address } from "./api.js";
import { isOneFile } from "./embedded.js";

/** Whether there is a server to have them from; a page that was saved as one file has none. */
export function hasServer() {
  return !isOneFile();
}

/** The address of a file's bytes. */
export function rawAddress(trial, path, { download = false } = {}) {
  return address("raw", { ...keyOf(trial), path, download: download ? 1 : null });
}

/** The address of a page of the agent's for a frame; other files of the same trial are beside it. */
export function frameAddress(trial, path, { running = false } = {}) {
  const { iteration, case: id, arm, repeat } = trial;
  const data = new TextEncoder().encode(JSON.stringify([iteration, id, arm, repeat]));
  const key = btoa(String.fromCharCode(...data))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
  return `frame/${running ? "running" : "still"}/${key}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** The parameters that name a trial, with more. */
export function keyOf(trial, more = {}) {
  const { iteration, case: id, arm, repeat } = trial;
  return { iteration, case: id, arm, repeat, ...more };
}

/** "a/b/c.md", "../x.png" → "a/x.png"; null where that leads outside or to another machine. */
export function beside(path, reference) {
  let plain = "";
  try {
    plain = decodeURIComponent(reference.split(/[?#]/)[0]);
  } catch {
    return null;
  }
  if (!plain || /^[a-z][a-z0-9+.-]*:|^[/\\]/i.test(plain)) return null;
  const parts = path.split("/").slice(0, -1);
  for (const part of plain.split("/")) {
    if (part === "..") {
      if (parts.length === 0) return null;
      parts.pop();
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/") || null;
}
