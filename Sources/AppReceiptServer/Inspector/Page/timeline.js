// The timeline: a row for each subscription, with its periods as bars, their kinds and cancellations.

import { count, dayText, h, identifier, milliseconds, part, replace, s, receiptText, scrolling, shown, span, time, whenZoneChanges } from "./dom.js";
import { axis, axisLabels, gridLines, marker, maxTicks } from "./axis.js";
import { revocations } from "./history.js";
import { paged } from "./paged.js";
import { productNames, stateOf } from "./products.js";
import { written } from "./values.js";

const KINDS = {
  paid: "Paid", trial: "Free trial", introductory: "Introductory price", offer: "Promotional offer",
  canceled: "Refunded or upgraded",
};

const kindOf = (period) => (period.isTrial ? "trial" : period.offer ? "offer" : period.isIntroductory ? "introductory" : "paid");

const RANGES = [["all", "All"], ["periods", "Subscriptions"], ["year", "Last year"], ["quarter", "Last 90 days"]];
const DAY = 86_400_000;
/** Dates further away are ignored for the scale: receipts from Xcode expire in the year 4001. */
const FAR = 100 * 365 * DAY;

export function timelinePanel(context) {
  const { document, notice } = context;
  const revoked = revocations(document);
  const single = (document.receipt?.purchases ?? []).filter((purchase) => !purchase.expirationDate && purchase.purchaseDate)
    .map((purchase) => ({ ...purchase, isRevoked: Boolean(purchase.cancellationDate) || revoked.has(written(purchase.transactionIdentifier ?? "")) }));
  if (document.subscriptions.length === 0 && single.length === 0) {
    return [notice(), h("p", { class: "empty" }, "Nothing here has a date.")];
  }
  const made = milliseconds(document.validationDate);
  const now = Date.parse(document.now);
  const names = productNames(document);
  const subscriptions = document.subscriptions.map((subscription) => ({
    ...subscription, standing: standing(subscription, document.products ?? []), periods: subscription.periods.map((period) => ({
      ...period, from: Date.parse(period.start), to: Date.parse(period.end),
      until: period.expiration ? Date.parse(period.expiration) : null, kind: kindOf(period),
    })),
  }));
  const whole = extent(subscriptions.flatMap((subscription) => subscription.periods.flatMap((period) => [period.from, period.to])), made ?? now, null);
  let range = "all";
  const drawing = h("div", { class: "timeline" });
  const list = h("ul", { class: "lines" });
  const labels = h("div", { class: "line axis-line" });
  const pages = paged(list, (subscription) => subscriptionRow(subscription, names, scale(), made, now), { size: 30, noun: "subscription" });
  const once = h("div");

  function scale() {
    const reference = made ?? now;
    if (range === "year") return axis(reference - 365 * DAY, reference + 31 * DAY);
    if (range === "quarter") return axis(reference - 90 * DAY, reference + 31 * DAY);
    if (range === "periods") return axis(...whole);
    let [from, to] = extent([...(whole ?? []), ...single.map((purchase) => Date.parse(purchase.purchaseDate))], reference, reference);
    // The current date is included only if the periods remain legible. It is years after the dates of most receipts.
    if (now > to && now - to < (to - from) * 0.5) to = now;
    return axis(from, to);
  }

  function draw() {
    const current = scale();
    pages.show(subscriptions);
    replace(labels, h("div", { class: "line-label" }), h("div", { class: "line-drawing" }, axisLabels(current, maxTicks())));
    replace(once, single.length > 0 && onceRow(single, names, current, made, now));
    replace(beyond, now > current.end ? [h("span", {}, "Now, ", time(now, "day"), ", is ", span(current.end, now), " beyond the right edge.")] : []);
  }

  const beyond = h("p", { class: "hint" });
  // Sandbox periods last minutes, which are invisible on a scale of days.
  const all = scale();
  if (whole && whole[1] - whole[0] < (all.end - all.start) * 0.02) range = "periods";
  const offered = RANGES.filter(([id]) => id !== "periods" || whole);
  const ranges = offered.map(([id, words]) => h("button", { type: "button", "aria-pressed": String(id === range), onclick: () => {
    range = id;
    ranges.forEach((button, index) => button.setAttribute("aria-pressed", String(offered[index][0] === id)));
    draw();
  } }, words));
  draw();
  const stop = whenZoneChanges(() => (drawing.isConnected ? draw() : stop()));
  replace(drawing, list, once, labels);
  return [notice(),
    h("div", { class: "bar" }, legend(subscriptions),
      h("div", { class: "segments", role: "group", "aria-label": "Range of the timeline up to the creation date" }, ranges)),
    drawing, pages.bar, beyond,
    h("p", { class: "hint" }, document.customer?.stored > 0 ? "From everything that this server knows." : "As of the receipt's creation date. Later renewals, refunds and grace periods aren't in the receipt.")];
}

/** The product of a subscription's last period. */
const productOf = (subscription) => subscription.periods[subscription.periods.length - 1].product;

/** The state of that product, from its entitlement. Data that isn't verified has none. */
function standing(subscription, products) {
  const own = products.find((product) => product.originalTransactionIdentifier === subscription.original
    && product.productIdentifier === productOf(subscription));
  return own ? stateOf(own) : null;
}

/** The range of the times that are reasonably close to `reference`, extended to `also`. */
function extent(times, reference, also) {
  let [from, to] = also === null ? [Infinity, -Infinity] : [also, also];
  for (const instant of times) {
    if (!Number.isFinite(instant) || Math.abs(instant - reference) > FAR) continue;
    from = Math.min(from, instant);
    to = Math.max(to, instant);
  }
  return from <= to ? [from, to] : null;
}

/** The legend of the kinds that occur. */
function legend(subscriptions) {
  const kinds = new Set(["paid"]);
  for (const subscription of subscriptions) {
    for (const period of subscription.periods) {
      kinds.add(period.kind);
      if (period.canceled) kinds.add("canceled");
    }
  }
  const swatch = (kind, words, shape) => h("li", {}, s("svg", { class: "swatch", width: "18", height: "12", "aria-hidden": "true" }, shape), words);
  return h("ul", { class: "legend", "aria-label": "Legend" },
    Object.entries(KINDS).filter(([kind]) => kinds.has(kind)).map(([kind, words]) => swatch(kind, words, s("rect", { class: `bar-${kind}`, x: "0.5", y: "1", width: "17", height: "10", rx: "2" }))),
    swatch("made", "Receipt created", s("line", { class: "marker made", x1: "9", x2: "9", y1: "0", y2: "12" })),
    swatch("now", "Now", s("line", { class: "marker now", x1: "9", x2: "9", y1: "0", y2: "12" })));
}

/** The visible periods. If there are very many, adjacent ones of the same kind are merged. */
function merged(periods, scale) {
  const seen = periods.filter((period) => period.to >= scale.start && period.from <= scale.end);
  if (seen.length <= 240) return seen;
  const room = (scale.end - scale.start) / 400;
  const list = [];
  for (const period of seen) {
    const last = list[list.length - 1];
    if (last && last.kind === period.kind && !last.canceled && !period.canceled && period.from - last.to < room) {
      list[list.length - 1] = { ...last, to: Math.max(last.to, period.to), many: (last.many ?? 1) + 1 };
    } else list.push(period);
  }
  return list.slice(0, 1000);
}

/** The name of a product, or its identifier. */
const named = (names, product) => names.get(product) ?? product ?? "unknown product";

/** The name of a product with its identifier below, or the identifier alone. */
const productCell = (names, product) => [names.has(product) && h("span", { class: "product-title" }, receiptText(names.get(product))),
  identifier(product ?? "unknown product", { label: "product identifier" })];

function subscriptionRow(subscription, names, scale, made, now) {
  // The name of a row is the product of its last period, which may have been an earlier one too.
  const latest = productOf(subscription);
  const current = named(names, latest);
  const before = new Set(subscription.periods.map((period) => named(names, period.product)));
  before.delete(current);
  const products = [...before, current];
  const table = h("div", { class: "line-periods", hidden: true });
  const toggle = h("button", { type: "button", class: "link", "aria-expanded": "false", onclick: () => {
    const isOpen = toggle.getAttribute("aria-expanded") === "true";
    toggle.setAttribute("aria-expanded", String(!isOpen));
    table.hidden = isOpen;
    if (!isOpen && !table.firstChild) replace(table, part(() => periodTable(subscription, names)));
  } }, count(subscription.periods.length, "period"), h("span", { class: "unseen" }, ` of ${shown(current)}`));
  return h("li", {}, h("div", { class: "line" },
    h("div", { class: "line-label" },
      h("span", { class: "line-name" }, receiptText(current)),
      names.has(latest) && h("span", { class: "muted" }, receiptText(latest)),
      products.length > 1 && h("span", { class: "muted" }, `before: ${shown(products.slice(0, -1).slice(0, 3).join(", "))}`),
      h("span", { class: "line-meta" },
        subscription.standing && h("span", { class: `badge-state is-small ${subscription.standing.tone}` }, subscription.standing.words), toggle)),
    h("div", { class: "line-drawing" }, s("svg", { class: "bars", width: "100%", height: "44", role: "img", "aria-label": describe(subscription, products) },
      gridLines(scale, maxTicks()),
      merged(subscription.periods, scale).map((period) => bars(period, names, scale)),
      marker(scale, made, "made"), marker(scale, now, "now")))), table);
}

function describe(subscription, products) {
  const [first, last] = [subscription.periods[0], subscription.periods[subscription.periods.length - 1]];
  const special = Object.keys(KINDS).filter((kind) => kind !== "paid" && kind !== "canceled")
    .map((kind) => [KINDS[kind], subscription.periods.filter((period) => period.kind === kind).length])
    .filter(([, number]) => number > 0).map(([words, number]) => `${words}: ${number}`);
  const canceled = subscription.periods.filter((period) => period.canceled).length;
  if (canceled) special.push(`${KINDS.canceled}: ${canceled}`);
  return `${shown(products.join(", "))}: ${count(subscription.periods.length, "period")} from ${dayText(first.from)} to ${dayText(last.to)}. ${special.join(". ")}`;
}

function bars(period, names, scale) {
  const [from, to] = [scale.clip(period.from), scale.clip(period.to)];
  const words = `${KINDS[period.kind]}: ${dayText(period.from)} to ${dayText(period.to)}`
    + (period.many ? ` (${period.many} periods)` : "") + (period.offer ? `, ${shown(period.offer)}` : "")
    + (period.canceled ? `, refunded or upgraded ${dayText(period.canceled)}` : "") + `\n${shown(named(names, period.product))}`;
  const parts = [];
  if (period.canceled && period.until && period.until > period.to) {
    const end = scale.clip(period.until);
    parts.push(s("rect", { class: "bar-lost", x: `${to}%`, y: "14", width: `${Math.max(0, end - to)}%`, height: "16", rx: "2" },
      s("title", {}, `Would have lasted until ${dayText(period.until)}`)));
  }
  const isShort = to - from < 0.8;
  const bar = s("rect", { class: `bar-${period.kind} period${isShort ? " is-short" : ""}`, x: `${from}%`, y: "12", width: `${to - from}%`, height: "20", rx: isShort ? "0" : "2" },
    s("title", {}, words));
  // A minimum width keeps short periods visible.
  bar.style.width = `max(2.5px, ${to - from}%)`;
  parts.push(bar);
  if (period.canceled) {
    parts.push(s("line", { class: "cut", x1: `${to}%`, x2: `${to}%`, y1: "6", y2: "38" }, s("title", {}, words)));
    parts.push(s("circle", { class: "cut-head", cx: `${to}%`, cy: "6", r: "3.5" }));
  }
  return parts;
}

function periodTable(subscription, names) {
  const body = h("tbody");
  const pages = paged(body, (period) => h("tr", {},
    h("td", {}, time(period.from, "minute")), h("td", {}, time(period.to, "minute")),
    h("th", { scope: "row" }, productCell(names, period.product)),
    h("td", {}, KINDS[period.kind], period.offer && h("span", { class: "tag" }, receiptText(period.offer)),
      period.canceled && h("span", { class: "state canceled" }, "Refunded or upgraded ", time(period.canceled, "day"))),
    h("td", { class: "number" }, identifier(period.transaction ?? "", { label: "transaction" }))), { size: 24, noun: "period" });
  pages.show(subscription.periods);
  return [scrolling(`Periods of subscription ${shown(subscription.original)}`, {},
    h("table", { class: "data" }, h("caption", { class: "unseen" }, `Periods of subscription ${shown(subscription.original)}`),
      h("thead", {}, h("tr", {}, ["From", "To", "Product", "Kind", "Transaction"].map((words) => h("th", { scope: "col" }, words)))), body)), pages.bar];
}

/** Purchases that aren't subscriptions, a dot for each. Dots that coincide are merged. */
function onceRow(purchases, names, scale, made, now) {
  const dots = new Map();
  for (const purchase of purchases) {
    const instant = Date.parse(purchase.purchaseDate);
    if (!(instant >= scale.start && instant <= scale.end)) continue;
    const place = Math.round(scale.place(instant) * 4) / 4;
    const key = `${place} ${purchase.isRevoked ? "canceled" : ""}`;
    const dot = dots.get(key) ?? { place, isCanceled: purchase.isRevoked, instant, names: [] };
    dot.names.push(named(names, purchase.productIdentifier));
    dots.set(key, dot);
  }
  return h("div", { class: "line" },
    h("div", { class: "line-label" }, h("span", { class: "line-name" }, "Bought once"),
      h("span", { class: "line-meta" }, count(purchases.length, "purchase"))),
    h("div", { class: "line-drawing" }, s("svg", { class: "bars", width: "100%", height: "44", role: "img",
      "aria-label": `${count(purchases.length, "purchase")} without an expiration date. See the table of purchases.` },
    gridLines(scale, maxTicks()), marker(scale, made, "made"), marker(scale, now, "now"),
    [...dots.values()].map((dot) => s("circle", { class: dot.isCanceled ? "dot-canceled" : "dot", cx: `${dot.place}%`, cy: "22",
      r: String(Math.min(10, 5 + Math.log2(dot.names.length))) },
    s("title", {}, `${dayText(dot.instant)}: ${shown(dot.names.slice(0, 5).join(", "))}${dot.names.length > 5 ? ` and ${dot.names.length - 5} more` : ""}`))))));
}
