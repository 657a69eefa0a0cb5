// The part of the address after “#”: the customer that was searched, the panel, and the options of the form. Browsers don't
// send it to the server.

const OPTIONS = ["bundle-id", "app-version", "original-app-version", "environment"];

/** Returns `{search, tab, options}`; each option is a list of values, and what is absent is null. */
export function readAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const options = {};
  for (const name of OPTIONS) {
    const values = parameters.getAll(name).filter(Boolean);
    if (values.length > 0) options[name] = values;
  }
  return { search: parameters.get("search"), tab: parameters.get("tab"), options };
}

/** Replaces the address; with `isNew`, as an entry of its own in the browser's history. */
export function writeAddress({ search, tab, options, isNew = false }) {
  const parameters = new URLSearchParams();
  if (search) parameters.set("search", search);
  if (tab && tab !== "overview") parameters.set("tab", tab);
  for (const name of OPTIONS) for (const value of [options[name] ?? []].flat()) parameters.append(name, value);
  const text = String(parameters);
  history[isNew ? "pushState" : "replaceState"](null, "", text ? `#${text}` : location.pathname);
}
