// Addresses of pages.

/** "#/case?case=a": the address of a page. */
export function link(name, parameters = {}) {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") search.set(key, value);
  }
  const text = search.toString();
  return text ? `#/${name}?${text}` : `#/${name}`;
}
