// The part of the address after “#”: the panel and the options of the form. Browsers don't send it to the server.

const OPTIONS = ["bundle-id", "app-version", "original-app-version", "environment"];

/** Returns `{tab, options}`; each option is a list of values. */
export function readAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const options = {};
  for (const name of OPTIONS) {
    const values = parameters.getAll(name).filter(Boolean);
    if (values.length > 0) options[name] = values;
  }
  return { tab: parameters.get("tab"), options };
}

/** Replaces the address without an entry in the history. */
export function writeAddress(tab, options) {
  const parameters = new URLSearchParams();
  if (tab && tab !== "overview") parameters.set("tab", tab);
  for (const name of OPTIONS) for (const value of [options[name] ?? []].flat()) parameters.append(name, value);
  const text = String(parameters);
  history.replaceState(null, "", text ? `#${text}` : location.pathname);
}
