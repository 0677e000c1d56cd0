import { connect, createServer } from "node:net";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { chromium } from "playwright-core";
import { findChromium } from "./chromium.mjs";

/** Short enough for a run of seconds, long enough for a busy machine. */
export const GRACE = 6;
export const SETTINGS = [
  `--grace-seconds=${GRACE}`, "--heartbeat-seconds=1", "--sweep-seconds=2", "--ttl-seconds=600",
];

/** The timeout for things that should happen at once. */
export const SOON = 20_000;

let browser;
const pageErrors = [];

/** The browser of this test file. It throttles background tabs, as real browsers do and Playwright's defaults do not. */
export function theBrowser() {
  browser ??= chromium.launch({
    executablePath: findChromium(),
    // Containers often have no sandbox and little shared memory.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
    ignoreDefaultArgs: [
      "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
    ],
  });
  return browser;
}

/** Call at the end of a test file or script. */
export const closeBrowser = async () => (await browser)?.close();

/** Returns and clears the errors of the pages: script errors and violations of the Content Security Policy. */
export const takePageErrors = () => pageErrors.splice(0);

/** A separate browser context, closed when the test ends. */
export async function openWindow(t, options = {}) {
  const context = await (await theBrowser()).newContext({ serviceWorkers: "block", ...options });
  context.setDefaultTimeout(SOON);
  t.after(() => context.close());
  return context;
}

let sharedContext;

/** Joins a room through a link in a new tab. Returns the page object. */
export async function visit(t, url, name, { room = "lobby", context } = {}) {
  sharedContext ??= openWindow({ after: () => {} }); // closes with the browser
  const page = await (context ?? (await sharedContext)).newPage();
  t.after(() => page.close());
  recordPageErrors(page);
  await page.goto(`${url}/?${new URLSearchParams({ room, name })}`);
  const person = new Person(page);
  await person.isIn();
  return person;
}

/** Records a page's errors, except failed connections, which the tests cause on purpose. */
export function recordPageErrors(page) {
  page.on("pageerror", (error) => pageErrors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource|WebSocket connection to|net::ERR/.test(message.text())) {
      pageErrors.push(message.text());
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

  /** Waits until exactly these users are listed and counted. */
  sees(...names) {
    const wanted = names.sort().join();
    return until(async () => (await this.names()).sort().join() === wanted && (await this.count.textContent()) === `${names.length}`,
      `sees ${wanted}`);
  }

  /** Waits until the log has this line. */
  hears(text, ms = SOON) {
    return this.log.getByText(text).first().waitFor({ timeout: ms });
  }

  /** The lines of the log, the oldest first. */
  async logLines() {
    return (await this.log.locator("li span").allTextContents()).reverse();
  }
}

/**
 * Waits until a user who disconnects now is announced as gone. By then, all earlier disconnects have been announced too.
 *
 * @returns the watcher's log lines about other users, without the first `since` lines
 */
export async function afterGracePeriod(t, url, watcher, room, since = 0) {
  const marker = await visit(t, url, "Marker", { room });
  await watcher.hears("Marker joined");
  await marker.page.close();
  await watcher.hears("Marker lost the connection", GRACE * 1000 + SOON);
  return (await watcher.logLines()).slice(since).filter((line) => !line.startsWith("Marker"));
}

/** Waits until the condition is true. */
export async function until(condition, what, ms = SOON) {
  const waiting = new Error(`not within ${ms} ms: ${what}`);
  for (const deadline = Date.now() + ms; !(await condition()); await delay(20)) {
    if (Date.now() > deadline) {
      throw waiting;
    }
  }
}

/** A proxy to a server whose connections can be cut. */
export async function cuttableProxy(t, port) {
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
    /** Like a phone that leaves the Wi-Fi: open connections fall silent, and new ones work. */
    change: () => open.forEach((socket) => (socket.silent = true)),
    /** Like a proxy that restarts: open connections close. */
    reset: () => open.forEach((socket) => socket.destroy()),
  };
}
