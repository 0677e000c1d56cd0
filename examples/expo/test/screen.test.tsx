import { create, type ReactTestRenderer } from "react-test-renderer";
import { Alert } from "react-native";
import { io, type Socket } from "socket.io-client";
import { HadirProvider } from "@hadir/client/react-native";
import ChatRoomScreen from "../ChatRoomScreen";
import { mobileNetwork, turn, until, url } from "./phone";

jest.mock("@react-native-community/netinfo", () => ({ __esModule: true, default: { addEventListener: jest.fn() } }));
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });

const roomId = "123";
let net: Awaited<ReturnType<typeof mobileNetwork>>;
let socket: Socket;
let tree: ReactTestRenderer;

const shown = () => JSON.stringify(tree.toJSON());

beforeEach(async () => {
  net = await mobileNetwork();
  socket = io(net.url, { autoConnect: false, transports: ["websocket"], forceNew: true });
});

afterEach(() => {
  turn("active");
  tree.unmount();
  socket.disconnect();
  net.end();
});

async function show(router: { back(): void }): Promise<void> {
  tree = create(
    <HadirProvider socket={socket}>
      <ChatRoomScreen router={router} />
    </HadirProvider>,
  );
  await until(() => shown()?.includes("1 watching"));
}

test("the source's screen: a phone that was in the background for too long shows the alert and goes back", async () => {
  const settings = (body: object) =>
    fetch(`${url}/api/v1/rooms/${roomId}/settings`, { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  expect((await settings({ ttlSeconds: 6 })).ok).toBe(true);
  const alert = jest.spyOn(Alert, "alert").mockImplementation(() => {});
  const router = { back: jest.fn() };
  await show(router);
  expect(shown()).toContain("456");
  turn("background");
  const other = io(url, { transports: ["websocket"], forceNew: true });
  const isGone = async () => (await other.emitWithAck("room:participants", { roomId })).viewerCount === 0;
  for (let gone = false; !gone; gone = await isGone()) await new Promise((resolve) => setTimeout(resolve, 100));
  other.disconnect();
  turn("active");
  await until(() => router.back.mock.calls.length > 0);
  expect(alert.mock.calls).toEqual([["Session Expired", expect.stringMatching(/inactivity|not in the chatroom/)]]);
  expect(router.back).toHaveBeenCalledTimes(1);
  await settings({});
});

test("the screen is dimmed while the connection is lost, and then says that nobody knows", async () => {
  await show({ back() {} });
  net.suspend();
  socket.io.engine.close();
  await until(() => shown().includes("Reconnecting…"));
  expect(shown()).toContain("1 watching");
  expect(shown()).toContain('"opacity":0.4');
  await until(() => shown().includes("Viewers: unknown"));
  expect(shown()).not.toContain("456");
});
