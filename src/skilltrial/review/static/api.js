// Questions to the server, or to the data that a static page carries.

import { h } from "./dom.js";
import { embeddedAnswer, isOneFile } from "./embedded.js";

/** What went wrong, in the server's words. */
export class Refused extends Error {
  constructor(what, where = "", hint = "", status = 0) {
    super([where && `${where}:`, what, hint].filter(Boolean).join(" "));
    this.status = status;
  }
}

/** "cases?iteration=1": the same for the server and for a static page. */
export function address(name, parameters = {}) {
  const search = new URLSearchParams();
  for (const key of Object.keys(parameters).sort()) {
    const value = parameters[key];
    if (value !== null && value !== undefined && value !== "") search.set(key, value);
  }
  const text = search.toString();
  return text ? `${name}?${text}` : name;
}

/** The answer to a question. Throws Refused. */
export async function ask(name, parameters = {}, { signal } = {}) {
  if (!isOneFile()) return read(await reach(`api/${address(name, parameters)}`, { signal }));
  const answer = await embeddedAnswer(name, parameters);
  if (answer !== undefined) return answer;
  const { name: folder = "FOLDER" } = (await embeddedAnswer("workspace", {})) ?? {};
  throw new Refused(
    `This page is one file and holds only a part. Open the folder for the rest: skilltrial view ${folder}`,
  );
}

/** Do something; what it returned. Throws Refused: then it was not done. */
export async function act(name, body) {
  if (isOneFile()) throw new Refused("This page is one file: nothing can be kept in the workspace from here.");
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return read(await reach(`api/${name}`, options));
}

async function reach(path, options) {
  try {
    return await fetch(path, { ...options, cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("The page's server does not answer. Was it ended? Start skilltrial view again.");
  }
}

async function read(response) {
  let body = null;
  try {
    body = await response.json();
  } catch {
    // The same port, another secret: somebody started it anew while this page was open.
    const why =
      response.status === 403
        ? "This link is no longer valid: the page was started again. Open the link that skilltrial view printed last."
        : `The server answered ${response.status} without saying why.`;
    throw new Refused(why, "", "", response.status);
  }
  if (!response.ok) {
    const { what = "The server refused.", where = "", hint = "" } = body.error ?? {};
    throw new Refused(what, where, hint, response.status);
  }
  return body;
}

/** An error where a person looks for what did not come. */
export function refusal(error) {
  return h("p", { class: "notice", role: "alert" }, error.message);
}
