import { createElement as h } from "react";
import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { HadirProvider, useNotifications, useOnline, useRoom, useRoomHeartbeat, useUnread, useViewerCounts } from "../src/react.js";
import { ScriptedSocket } from "./support/scripted.js";

test("every hook renders on a server without a window, which sends nothing, listens to nothing and starts no timer", () => {
  expect([typeof window, typeof document]).toEqual(["undefined", "undefined"]);
  vi.useFakeTimers();
  try {
    const socket = new ScriptedSocket();
    const Screen = () => {
      const { status, viewerCount, stale } = useRoom("r", { userId: "ana", inFront: true, data: { mic: true } });
      useRoomHeartbeat("r", "ana", () => {});
      useNotifications(() => {});
      const watched = [useUnread(["r"]), useViewerCounts(["r"]), useOnline(["ana"])];
      return h("p", null, `${status} ${viewerCount} ${stale} ${watched.map(({ values, stale: old }) => `${values.size} ${old}`)}`);
    };
    const token = vi.fn(() => "token");
    const page = renderToString(h(HadirProvider, { socket, token, lang: "id" }, h(Screen)));
    expect(page).toBe("<p>joining null false 0 false,0 false,0 false</p>");
    expect([socket.requests, socket.listening, socket.connects, vi.getTimerCount(), token.mock.calls]).toEqual([[], 0, 0, 0, []]);
  } finally {
    vi.useRealTimers();
  }
});
