// A time axis. Positions are percentages, so drawings scale with their width.

import { dayText, s, timeText } from "./dom.js";

const DAY = 86_400_000;
const MINUTE = 60_000;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * MINUTE), DAY, 2 * DAY, 7 * DAY, 14 * DAY,
];

/** The range from the first to the last time, with a margin. */
export function axis(from, to) {
  const length = Math.max(to - from, 10 * MINUTE);
  const [start, end] = [from - length * 0.02, to + length * 0.02];
  return {
    start, end,
    place: (time) => ((time - start) / (end - start)) * 100,
    clip: (time) => Math.min(100, Math.max(0, ((time - start) / (end - start)) * 100)),
    ticks: (max) => ticks(start, end, max),
  };
}

/** Round dates: years, months or days, not more than `max`. */
function ticks(start, end, max) {
  const days = (end - start) / DAY;
  const [first, last] = [new Date(start), new Date(end)];
  const list = [];
  const perYear = [12, 4, 2, 1].find((parts) => (days / 365.25) * parts <= max);
  if (days > 60 && perYear) {
    const step = 12 / perYear;
    for (let month = Math.ceil(first.getUTCMonth() / step) * step; ; month += step) {
      const time = new Date(0).setUTCFullYear(first.getUTCFullYear(), month, 1);
      // JavaScript has no later dates.
      if (!(time <= end) || list.length > 40) break;
      if (time >= start) list.push({ time, words: dayText(time + DAY / 2).replace(perYear === 1 ? /-\d\d-\d\d$/ : /-\d\d$/, "") });
    }
    return list;
  }
  if (days > 60) {
    const years = [2, 5, 10, 20, 50, 100, 500, 1000, 2000].find((step) => days / 365.25 / step <= max) ?? 5000;
    for (let year = Math.ceil(first.getUTCFullYear() / years) * years; year <= last.getUTCFullYear() && list.length < 40; year += years) {
      const time = new Date(0).setUTCFullYear(year, 0, 1);
      if (time >= start && time <= end) list.push({ time, words: String(year) });
    }
    return list;
  }
  const step = STEPS.find((length) => (end - start) / length <= max) ?? 14 * DAY;
  for (let time = Math.ceil(start / step) * step; time <= end && list.length < 40; time += step) {
    list.push({ time, words: step < DAY ? timeText(time).replace(/^.*?(\d\d-\d\d \d\d:\d\d).*$/, "$1") : dayText(time) });
  }
  return list;
}

/** Thin lines at the ticks. */
export function gridLines(scale, max) {
  return scale.ticks(max).map(({ time }) => {
    const x = `${scale.place(time)}%`;
    return s("line", { class: "grid", x1: x, x2: x, y1: "0", y2: "100%" });
  });
}

/** The dates below the drawings. */
export function axisLabels(scale, max) {
  return s("svg", { class: "axis", width: "100%", height: "20", "aria-hidden": "true" },
    scale.ticks(max).map(({ time, words }) => {
      const place = scale.place(time);
      const anchor = place < 6 ? "start" : place > 94 ? "end" : "middle";
      return s("text", { x: `${place}%`, y: "14", "text-anchor": anchor }, words);
    }));
}

/** A vertical line at a time, if the axis contains it. */
export function marker(scale, time, kind) {
  if (time === null || !(time >= scale.start && time <= scale.end)) return null;
  const x = `${scale.place(time)}%`;
  return s("line", { class: `marker ${kind}`, x1: x, x2: x, y1: "0", y2: "100%" });
}

/** The maximum number of ticks for the width of the window. */
export function maxTicks() {
  return window.innerWidth < 640 ? 3 : window.innerWidth < 1200 ? 6 : 8;
}
