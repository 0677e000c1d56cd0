import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const react18 = (name: string) => fileURLToPath(new URL(`test/react18/node_modules/${name}`, import.meta.url));
// With HADIR_ATTACHED=1, every server is a Socket.IO server in Node with Hadir attached. Such a server logs its users in itself, so there
// Hadir's tokens do not apply.
const exclude = process.env.HADIR_ATTACHED === "1" ? ["test/token.test.ts"] : [];
const each = { pool: "forks", testTimeout: 120_000, hookTimeout: 120_000 } as const;

export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: "test/support/server.ts",
    projects: [
      { test: { ...each, name: "react 19", include: ["test/*.test.ts"], exclude } },
      {
        resolve: {
          alias: [
            { find: /^react-dom\/(.*)$/, replacement: `${react18("react-dom")}/$1.js` },
            { find: /^react-dom$/, replacement: `${react18("react-dom")}/index.js` },
            { find: /^react$/, replacement: `${react18("react")}/index.js` },
          ],
        },
        test: { ...each, name: "react 18", include: ["test/hooks.test.ts"] },
      },
    ],
  },
});
