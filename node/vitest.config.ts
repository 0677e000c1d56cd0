import { defineConfig } from "vitest/config";

const each = { pool: "forks", testTimeout: 120_000, hookTimeout: 120_000 } as const;
const alone = ["test/api.test.ts", "test/attach.test.ts", "test/moves.test.ts", "test/order.test.ts", "test/package.test.ts", "test/room-watch.test.ts", "test/wire.test.ts"];

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { ...each, name: "alone", include: alone } },
      { test: { ...each, name: "with Hadir", include: ["test/*.test.ts"], exclude: alone, globalSetup: "test/support/server.ts" } },
    ],
  },
});
