// Medians of measurements, side by side.

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** One Markdown table for one number of sockets: samples[peer][key] is a list of values, the first peer is the base. */
export function table(peers, samples, rows) {
  const lines = [["", ...peers, ...peers.slice(1).map((peer) => `${peer} / ${peers[0]}`), "bar", ""]];
  for (const row of rows) {
    const values = peers.map((peer) => samples[peer][row.key]);
    const medians = values.map(median);
    const ratios = medians.slice(1).map((value) => value / medians[0]);
    const held = bar(row, medians, ratios);
    lines.push([
      row.label,
      ...values.map(spread),
      ...ratios.map((ratio) => (row.ratio === false ? "" : ratio.toFixed(2))),
      row.bar ? `≤ ${row.bar}${row.absolute ? "" : " ×"}` : "",
      held === undefined ? "" : held ? "held" : "missed",
    ]);
  }
  return markdown(lines);
}

function bar(row, medians, ratios) {
  if (!row.bar || ratios.length !== 1) return undefined;
  return (row.absolute ? medians[1] : ratios[0]) <= row.bar;
}

function spread(values) {
  const digits = Math.abs(median(values)) >= 100 ? 0 : Math.abs(median(values)) >= 10 ? 1 : 2;
  const [low, middle, high] = [Math.min(...values), median(values), Math.max(...values)].map((v) => v.toFixed(digits));
  return values.length === 1 ? middle : `${middle} (${low} – ${high})`;
}

function markdown([head, ...body]) {
  const widths = head.map((_, i) => Math.max(3, ...[head, ...body].map((line) => line[i].length)));
  const format = (line) => `| ${line.map((cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join(" | ")} |`;
  const rule = `|${widths.map((width, i) => (i ? `${"-".repeat(width + 1)}:` : "-".repeat(width + 2))).join("|")}|`;
  return [format(head), rule, ...body.map(format)].join("\n");
}
