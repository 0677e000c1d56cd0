import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const react18 = (name: string) => fileURLToPath(new URL(`test/react18/node_modules/${name}`, import.meta.url));
const each = { pool: "forks" as const, testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: "test/support/server.ts",
    projects: [
      { test: { ...each, name: "client", include: ["test/*.test.ts"] } },
      { test: { ...each, name: "react 19", include: ["test/react/*.test.ts"], environment: "jsdom" } },
      {
        resolve: {
          alias: [
            { find: /^react-dom\/(.*)$/, replacement: `${react18("react-dom")}/$1.js` },
            { find: /^react$/, replacement: `${react18("react")}/index.js` },
          ],
        },
        test: { ...each, name: "react 18", include: ["test/react/*.test.ts"], environment: "jsdom" },
      },
    ],
  },
});
