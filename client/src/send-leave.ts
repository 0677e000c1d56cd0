import { ConnectionScope, retryDelay } from "./connection-scope.js";
import type { Environment } from "./environment.js";
import type { LeaveRoom } from "./events.js";
import type { SharedSocket } from "./shared-socket.js";

/**
 * Sends `leave_room`, unless another `RoomPresence` on this socket is still in the room. Resolves when the server has answered, or
 * when no answer can come.
 *
 * Without a connection, it waits for one until the grace period ends: on a reconnect before that, the server would restore the
 * user. After the grace period the user is no longer present anyway.
 */
export function sendLeave(
  shared: SharedSocket,
  environment: Environment,
  payload: LeaveRoom & { roomId: string },
  graceMs: number,
): Promise<void> {
  const { socket } = shared;
  return new Promise((resolve) => {
    const scope = new ConnectionScope(shared, environment);
    const end = () => {
      socket.off("connect", connected);
      socket.off("disconnect", end);
      scope.close();
      resolve();
    };
    const send = (tries = 0) => {
      if (!payload.everywhere && shared.isInUse(payload.roomId)) {
        end();
        return;
      }
      scope.request("leave_room", payload, ({ refusal }) => {
        if (refusal?.code === "rate_limited") {
          // Without a retry the user would stay present.
          scope.after(retryDelay(refusal, tries, environment.random()), () => send(tries + 1));
        } else {
          end();
        }
      });
    };
    const connected = () => {
      socket.on("disconnect", end);
      send();
    };
    if (socket.connected) {
      connected();
    } else if (socket.active) {
      socket.on("connect", connected);
      scope.after(graceMs, end);
    } else {
      end();
    }
  });
}
