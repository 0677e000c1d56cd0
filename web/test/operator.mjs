import { openWindow, recordPageErrors, until } from "./browser.mjs";

/** The page object of the dashboard. */
export class Operator {
  constructor(page) {
    this.page = page;
    this.rooms = page.getByRole("list", { name: "Occupied rooms" });
    this.participants = page.getByRole("table", { name: "Participants" });
    this.banner = page.locator(".banner");
    this.dialog = page.getByRole("dialog");
  }

  /** Waits until the dashboard is open. */
  isIn() {
    return this.page.getByRole("heading", { name: "Rooms", exact: true }).waitFor();
  }

  /** The visible rooms with their counts. */
  async counts() {
    const rows = await this.rooms.locator("a").evaluateAll((links) =>
      links.map((link) => [link.querySelector(".room-id").textContent, link.querySelector(".viewers [aria-hidden]").textContent]),
    );
    return Object.fromEntries(rows);
  }

  /** Waits until these rooms have these counts; undefined for a room that must not be listed. */
  sees(wanted) {
    return until(async () => {
      const counts = await this.counts();
      return Object.entries(wanted).every(([room, count]) => counts[room] === (count === undefined ? undefined : `${count}`));
    }, `the dashboard shows ${JSON.stringify(wanted)}`);
  }

  /** Waits until exactly these participants are listed in the room. */
  lists(...names) {
    const wanted = names.sort().join();
    return until(async () => (await this.names()).sort().join() === wanted, `the dashboard lists ${wanted}`);
  }

  names() {
    return this.participants.locator(".name").allTextContents();
  }

  /** A participant's row, by column. */
  async factsOf(name) {
    const row = this.participants.getByRole("row").filter({ hasText: name });
    const cells = await row.locator("[data-name]").evaluateAll((found) => found.map((cell) => [cell.dataset.name, cell.textContent]));
    return Object.fromEntries(cells);
  }

  /** The summary of a chart. */
  summary(title) {
    return this.page.getByRole("figure", { name: title }).locator(".summary");
  }
}

/** Opens the dashboard, at a room if one is given. */
export async function operate(t, url, { room, context } = {}) {
  const page = await (context ?? (await openWindow(t))).newPage();
  recordPageErrors(page);
  await page.goto(`${url}/dashboard${room === undefined ? "" : `?${new URLSearchParams({ room })}`}`);
  return new Operator(page);
}
