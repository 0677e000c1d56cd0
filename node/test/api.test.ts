import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Api } from "../src/api.js";
import { app } from "./support/scripted.js";

/** An HTTP server, and the requests that it got. */
async function server(answer: RequestListener) {
  const got: string[] = [];
  const http = createServer((request, response) => {
    got.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url: new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}`), got };
}

const answering = (status: number, body: object) =>
  server((_, response) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)));
const hanging = () => server(() => {});

test.each([
  ["never answers", hanging],
  ["stops in the middle of its answer", () => server((_, response) => response.writeHead(200).write("{"))],
])("a node that %s costs one request some time, and none its answer", async (_, start) => {
  const [bad, good] = [await start(), await answering(200, { viewerCount: 3 })];
  const api = new Api([bad.url, good.url], undefined);
  for (let i = 0; i < 3; i++) {
    const begun = performance.now();
    expect(await api.call({ method: "GET", path: ["rooms", "r"] })).toEqual({ viewerCount: 3 });
    expect(performance.now() - begun).toBeLessThan(i === 0 ? 1_500 : 500);
  }
  expect(bad.got).toHaveLength(1);
});

test("a POST that a node may have got is not sent to another one; the next POST goes there", async () => {
  const [hung, good] = [await hanging(), await answering(200, { results: [] })];
  const api = new Api([hung.url, good.url], undefined);
  const message = { method: "POST", path: ["rooms", "r", "messages"], body: {} } as const;
  await expect(api.call(message)).rejects.toMatchObject({ code: "presence_unavailable" });
  expect(good.got).toEqual([]);
  expect(await api.call(message)).toEqual({ results: [] });
  expect([hung.got.length, good.got.length]).toEqual([1, 1]);
});

test("a POST may take the time that other nodes would need, because it does not go to them", async () => {
  const slow = await server((_, response) => void setTimeout(() => response.end(JSON.stringify({ results: [] })), 900));
  const others = await Promise.all([hanging(), hanging()]);
  const api = new Api([slow, ...others].map(({ url }) => url), undefined);
  expect(await api.call({ method: "POST", path: ["rooms", "r", "messages"], body: {} })).toEqual({ results: [] });
});

test("a POST that could not be sent goes to another node", async () => {
  const [closed, good] = [createServer().listen(0, "127.0.0.1"), await answering(200, { results: [] })];
  const url = new URL(`http://127.0.0.1:${(closed.address() as AddressInfo).port}`);
  closed.close();
  expect(await new Api([url, good.url], undefined).call({ method: "POST", path: ["rooms", "r", "messages"], body: {} })).toEqual({ results: [] });
});

test("a DELETE that an earlier node may have carried out is not reported as not found; a GET is", async () => {
  const absent = { error: { code: "not_found", message: "the user is not in the room" } };
  const call = async (method: "GET" | "DELETE") => {
    const [hung, good] = [await hanging(), await answering(404, absent)];
    return new Api([hung.url, good.url], undefined).call({ method, path: ["rooms", "r", "participants", "ana"] });
  };
  await Promise.all([
    expect(call("DELETE")).rejects.toMatchObject({ code: "presence_unavailable" }),
    expect(call("GET")).rejects.toMatchObject({ code: "not_found" }),
  ]);
});

test("if no node answers, the error comes within two seconds", async () => {
  const hung = await Promise.all([hanging(), hanging(), hanging()]);
  const begun = performance.now();
  const call = new Api(hung.map(({ url }) => url), undefined).call({ method: "GET", path: ["rooms", "r"] });
  await expect(call).rejects.toMatchObject({ code: "presence_unavailable" });
  // Three nodes, one after the other, would take longer. The machine may be busy.
  expect(performance.now() - begun).toBeLessThan(3_000);
});

test("kick tells a user who was not in the room from a url without the API, which may be elsewhere", async () => {
  const absent = { error: { code: "not_found", message: "the user is not in the room" } };
  const elsewhere = await answering(404, { error: { code: "not_found", message: "There is nothing at this path." } });
  const api = await server((request, response) => {
    response.writeHead(request.method === "DELETE" ? 404 : 200).end(JSON.stringify(request.method === "DELETE" ? absent : { viewerCount: 1 }));
  });
  const proxy = await server((_, response) => response.writeHead(404).end("<html>"));
  const attach = async (url: URL, apiUrl?: string) => (await app(url.href, { apiUrl })).attaching;
  const [wrong, right, closedByProxy] = await Promise.all([attach(elsewhere.url), attach(elsewhere.url, api.url.href), attach(proxy.url)]);
  await expect(wrong.kick("r", "ana")).rejects.toMatchObject({ code: "not_found" });
  await expect(closedByProxy.kick("r", "ana")).rejects.toMatchObject({ code: "not_found" });
  expect(await right.kick("r", "ana")).toBe(false);
  expect(api.got).toEqual(["DELETE /api/v1/rooms/r/participants/ana", "GET /api/v1/rooms/r"]);
});
