// A plot of ratios: a line from 1 (the first peer) to the second peer's ratio, and a mark for the bar.
import { figure, evaluate } from "./table.mjs";

const [WIDTH, LEFT, RIGHT, TOP, LINE] = [1000, 460, 120, 76, 26];
const [LEAST, MOST] = [0.001, 2];
const TICKS = [0.001, 0.01, 0.1, 1];

const STYLE = `
  svg { --ink: #1f2328; --faint: #656d76; --grid: #d8dee4; --held: #0969da; --missed: #bc4c00; background: #ffffff }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e6edf3; --faint: #9198a1; --grid: #30363d; --held: #58a6ff; --missed: #f0883e; background: #0d1117 }
  }
  text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink) }
  .title { font-size: 16px; font-weight: 600 }
  .faint { fill: var(--faint); font-size: 12px }
  .grid { stroke: var(--grid) }
  .one { stroke: var(--faint) }
  .bar { stroke: var(--ink); stroke-width: 2 }
  .held { stroke: var(--held); fill: var(--held) }
  .missed { stroke: var(--missed); fill: var(--missed) }
  .stem { stroke-width: 4; stroke-linecap: round; opacity: 0.45 }
  .end { text-anchor: end }
  .middle { text-anchor: middle }`;

/** An SVG of all measured rows whose bar is a ratio. */
export function plot(peers, samples, rows) {
  const shown = rows
    .filter((row) => !row.absolute)
    .map((row) => ({ row, ...evaluate(peers, samples, row) }))
    .filter(({ held }) => held !== undefined);
  const bottom = TOP + shown.length * LINE;
  const height = bottom + 56;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Ratios of ${peers[1]} to ${peers[0]}">
<style>${STYLE}
</style>
<text class="title" x="16" y="28">${peers[1]} beside ${peers[0]}: the cost of the same work</text>
<text class="faint" x="16" y="48">Medians, ${peers[0]} = 1, logarithmic scale; further left is cheaper. The vertical mark is the bar.</text>
${TICKS.map((tick) => grid(tick, bottom)).join("\n")}
${shown.map((line, i) => mark(line, TOP + i * LINE + LINE / 2)).join("\n")}
<text class="faint middle" x="${x(1)}" y="${bottom + 40}">${peers[0]}</text>
</svg>
`;
}

function grid(tick, bottom) {
  const at = x(tick);
  return `<line class="${tick === 1 ? "one" : "grid"}" x1="${at}" y1="${TOP - 6}" x2="${at}" y2="${bottom + 4}"/><text class="faint middle" x="${at}" y="${bottom + 22}">${tick} ×</text>`;
}

function mark({ row, ratios: [ratio], held }, y) {
  const kind = held ? "held" : "missed";
  return [
    `<text class="end" x="${LEFT - 16}" y="${y + 4}">${escape(label(row))}</text>`,
    `<line class="stem ${kind}" x1="${x(1)}" y1="${y}" x2="${x(ratio)}" y2="${y}"/>`,
    `<line class="bar" x1="${x(row.bar)}" y1="${y - 8}" x2="${x(row.bar)}" y2="${y + 8}"/>`,
    `<circle class="${kind}" cx="${x(ratio)}" cy="${y}" r="5"/>`,
    `<text x="${WIDTH - RIGHT + 12}" y="${y + 4}">${figure(ratio)} ×${held ? "" : " missed"}</text>`,
  ].join("");
}

/** The label without its unit, because a ratio has none. */
function label(row) {
  return (row.plotted ?? row.label).replace(/, (µs|ms|s|KB|bytes)$/, "");
}

function x(ratio) {
  const share = Math.log(Math.min(MOST, Math.max(LEAST, ratio)) / LEAST) / Math.log(MOST / LEAST);
  return Math.round((LEFT + share * (WIDTH - LEFT - RIGHT)) * 10) / 10;
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
