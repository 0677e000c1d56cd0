import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The path of the installed Chromium: `CHROMIUM` if set, else the first one in PATH, else undefined. */
export function findChromium() {
  if (process.env.CHROMIUM) {
    return process.env.CHROMIUM;
  }
  const places = (process.env.PATH ?? "").split(delimiter).filter((place) => place !== "");
  return NAMES.flatMap((name) => places.map((place) => join(place, name))).find(isExecutable);
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = findChromium();
  if (found) {
    console.log(`Chromium at ${found}`);
  } else {
    console.error("no Chromium found (expected: chromium or google-chrome in PATH, or its path in CHROMIUM; on Debian: apt-get install chromium)");
    process.exitCode = 1;
  }
}
