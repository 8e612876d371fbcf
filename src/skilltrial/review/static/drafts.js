// Texts that nobody else has kept yet, in this browser, one for each window: none writes over another's.

const HEAD = "skilltrial draft ";
const WINDOW = windowName();

/** A name that nothing else has. */
export function freshName() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function windowName() {
  try {
    const found = sessionStorage.getItem("skilltrial window") ?? freshName();
    sessionStorage.setItem("skilltrial window", found);
    return found;
  } catch {
    return freshName();
  }
}

/** Where drafts about a thing are: a workspace, and what in it. */
export function draftPlace(workspace, what) {
  return `${HEAD}${JSON.stringify([workspace, what])} `;
}

/** Keep {text, …}; false where the browser does not. */
export function keepDraft(place, draft) {
  try {
    localStorage.setItem(place + WINDOW, JSON.stringify({ ...draft, at: new Date().toISOString() }));
    return true;
  } catch {
    return false;
  }
}

/** The draft of this window; null where there is none. */
export function ownDraft(place) {
  return draftAt(place + WINDOW);
}

/** Forget it: of this window, or the one under a key of `otherDrafts`. */
export function dropDraft(place, key = place + WINDOW) {
  try {
    localStorage.removeItem(key);
  } catch {
    // a browser that keeps nothing has nothing to forget
  }
}

/** Those of other windows that are older than this many seconds: [{key, text, at}]. */
export function otherDrafts(place, seconds) {
  const before = Date.now() - seconds * 1000;
  return draftKeys()
    .filter((key) => key.startsWith(place) && key !== place + WINDOW)
    .map((key) => ({ key, ...draftAt(key) }))
    .filter(({ text, at }) => typeof text === "string" && Date.parse(at) < before);
}

/** All drafts about a workspace. */
export function draftsOf(workspace) {
  const head = `${HEAD}${JSON.stringify([workspace]).slice(0, -1)},`;
  return draftKeys()
    .filter((key) => key.startsWith(head))
    .map(draftAt)
    .filter((draft) => draft !== null);
}

function draftKeys() {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}

function draftAt(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}
