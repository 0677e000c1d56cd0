import { connect, createServer } from "node:net";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { chromium } from "playwright-core";
import { findChromium } from "./chromium.mjs";

/** So that a run takes seconds, and a machine that is busy with other things can still keep the times. */
export const GRACE = 6;
export const SETTINGS = [
  `--grace-seconds=${GRACE}`, "--heartbeat-seconds=1", "--sweep-seconds=2", "--ttl-seconds=600",
];

/** How long something may take that should happen at once. */
export const SOON = 20_000;

let browser;
const problems = [];

/** The browser of this test file. One that slows down tabs that nobody looks at, as browsers do and those of tests do not. */
export function theBrowser() {
  browser ??= chromium.launch({
    executablePath: findChromium(),
    // In a container there is often neither a sandbox nor much shared memory.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
    ignoreDefaultArgs: [
      "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
    ],
  });
  return browser;
}

/** For the end of a test file, or of a script. */
export const closeBrowser = async () => (await browser)?.close();

/** Whatever the pages complained about: errors of scripts, and what the server's policy forbade. */
export const complaints = () => problems.splice(0);

/** A browser window of its own, with nothing in common with others, that ends with the test. */
export async function openWindow(t, options = {}) {
  const context = await (await theBrowser()).newContext({ serviceWorkers: "block", ...options });
  context.setDefaultTimeout(SOON);
  t.after(() => context.close());
  return context;
}

let everybodys;

/** Somebody who goes into a room by a link, in a tab of their own; what their page shows is read off the page. */
export async function visit(t, url, name, { room = "lobby", context } = {}) {
  everybodys ??= openWindow({ after: () => {} }); // the browser's end is its end too
  const page = await (context ?? (await everybodys)).newPage();
  t.after(() => page.close());
  listen(page);
  await page.goto(`${url}/?${new URLSearchParams({ room, name })}`);
  const person = new Person(page);
  await person.isIn();
  return person;
}

/** Collects what a page complains about. A connection that fails is no complaint: the tests make it fail. */
export function listen(page) {
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource|WebSocket connection to|net::ERR/.test(message.text())) {
      problems.push(message.text());
    }
  });
}

export class Person {
  constructor(page) {
    this.page = page;
    this.count = page.getByTestId("viewer-count");
    this.list = page.getByRole("list", { name: "Participants" });
    this.state = page.getByTestId("state");
    this.log = page.getByRole("log");
    this.dialog = page.getByRole("dialog");
  }

  isIn() {
    return this.state.filter({ hasText: "You are in" }).waitFor();
  }

  /** The names in the list. */
  names() {
    return this.list.locator(".name").allTextContents();
  }

  /** Waits until exactly these are listed and counted. */
  sees(...names) {
    const wanted = names.sort().join();
    return until(async () => (await this.names()).sort().join() === wanted && (await this.count.textContent()) === `${names.length}`,
      `sees ${wanted}`);
  }

  /** Waits until the log has this line. */
  hears(text, ms = SOON) {
    return this.log.getByText(text).first().waitFor({ timeout: ms });
  }

  /** Everything that was said of who came and went, the oldest first. */
  async heard() {
    return (await this.log.locator("li span").allTextContents()).reverse();
  }

}

/**
 * Waits until who goes now is told gone, by when whoever went before would have been told too.
 *
 * @returns what the watcher was told of others since it had heard so many things
 */
export async function untilTheGraceIsOver(t, url, watcher, room, since = 0) {
  const marker = await visit(t, url, "Marker", { room });
  await watcher.hears("Marker came in");
  await marker.page.close();
  await watcher.hears("Marker lost the connection", GRACE * 1000 + SOON);
  return (await watcher.heard()).slice(since).filter((line) => !line.startsWith("Marker"));
}

/** Waits until the condition holds. */
export async function until(condition, what, ms = SOON) {
  const waiting = new Error(`not within ${ms} ms: ${what}`);
  for (const deadline = Date.now() + ms; !(await condition()); await delay(20)) {
    if (Date.now() > deadline) {
      throw waiting;
    }
  }
}

/** A way to a server that can be cut. */
export async function wire(t, port) {
  const open = new Set();
  let cut = false;
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const [from, to] of [[client, upstream], [upstream, client]]) {
      open.add(from);
      from.on("error", () => {});
      from.on("data", (data) => !from.silent && !cut && to.write(data));
      from.on("close", () => {
        open.delete(from);
        if (!from.silent) {
          to.destroy();
        }
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    open.forEach((socket) => socket.destroy());
    server.close();
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** As when a phone leaves the Wi-Fi: what is open hears nothing any more, and what comes next takes the new way. */
    change: () => open.forEach((socket) => (socket.silent = true)),
    /** As when a proxy restarts: what is open is closed. */
    reset: () => open.forEach((socket) => socket.destroy()),
  };
}
