import type { TestProject } from "vitest/node";
import { startHadir } from "../../../interop/hadir.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The server that all tests share; each test uses its own rooms. */
    url: string;
    redis: string;
  }
}

export const GRACE_SECONDS = 8;
export const settings = [`--grace-seconds=${GRACE_SECONDS}`, "--heartbeat-seconds=1", "--sweep-seconds=2", "--lease-seconds=5"];

/** Above this size, a room's messages carry no names. */
export const NAMES_LIMIT = 110;

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const ends: (() => unknown)[] = [];
  const server = await startHadir({ after: (end: () => unknown) => ends.push(end) }, ...settings, `--names-limit=${NAMES_LIMIT}`);
  provide("url", server.url);
  provide("redis", server.redis ?? "");
  return async () => {
    await Promise.all(ends.map((end) => end()));
  };
}
