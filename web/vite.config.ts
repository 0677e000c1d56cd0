import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const pages = readdirSync(at("src")).filter((file) => file.endsWith(".html"));

/** Every HTML file in src is a page of its own. */
export default defineConfig({
  root: at("src"),
  publicDir: at("src/public"),
  resolve: {
    // Uses the client's sources, so the client need not be built or installed first.
    alias: [
      { find: /^@hadir\/client$/, replacement: at("../client/src/index.ts") },
      { find: /^@hadir\/client\/react$/, replacement: at("../client/src/react.ts") },
    ],
    // Imports in the client's sources resolve to this project's packages.
    dedupe: ["react", "react-dom", "socket.io-client"],
  },
  build: {
    outDir: at("../target/web"),
    emptyOutDir: true,
    // The server's Content Security Policy forbids inline assets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: pages.map((page) => at(`src/${page}`)),
      output: { chunkFileNames: "assets/shared-[hash].js" },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ["/socket.io", "/api", "/metrics", "/readyz", "/site.json"].map((path) => [
        path,
        { target: process.env.HADIR_URL ?? "http://127.0.0.1:8080", ws: path === "/socket.io" },
      ]),
    ),
  },
});
