// Tables of medians.

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * A Markdown table. samples[peer][key] is a list of values, or missing if the peer was not measured; the first peer is the
 * baseline. A row has a key, a label and optionally a bar: a limit on the ratio or, if absolute, on the value.
 */
export function table(peers, samples, rows) {
  const lines = [["", ...peers, ...peers.slice(1).map((peer) => `${peer} / ${peers[0]}`), "bar", ""]];
  for (const row of rows) {
    const values = peers.map((peer) => samples[peer][row.key]);
    if (values.every((list) => !list)) continue;
    const { ratios, held } = evaluate(peers, samples, row);
    lines.push([
      row.label,
      ...values.map((list) => (list ? spread(list) : "")),
      ...ratios.map((ratio) => (row.ratio === false || !Number.isFinite(ratio) ? "" : figure(ratio))),
      row.bar ? `≤ ${row.bar}${row.absolute ? "" : " ×"}` : "",
      held === undefined ? "" : held ? "held" : "missed",
    ]);
  }
  return markdown(lines);
}

/** The ratios of a row to the first peer, and whether it meets its bar; undefined without a bar or a measurement. */
export function evaluate(peers, samples, row) {
  const medians = peers.map((peer) => (samples[peer][row.key] ? median(samples[peer][row.key]) : NaN));
  const ratios = medians.slice(1).map((value) => value / medians[0]);
  const judged = row.absolute ? medians[1] : ratios[0];
  const held = row.bar && ratios.length === 1 && Number.isFinite(judged) ? judged <= row.bar : undefined;
  return { ratios, held };
}

/** A ratio with two decimals, or two significant digits if it is small. */
export function figure(ratio) {
  return ratio >= 0.1 ? ratio.toFixed(2) : ratio.toPrecision(2);
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
