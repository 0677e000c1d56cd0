import type { TestProject } from "vitest/node";
import { startRedis } from "../../../interop/hadir.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The Redis that all tests share; each test uses its own rooms. */
    redis: string;
  }
}

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const redis = await startRedis();
  provide("redis", redis.url);
  return () => redis.kill();
}
