import type { LeaveRoom } from "./events.js";
import type { Environment } from "./environment.js";
import { Line, pauseBefore } from "./line.js";
import type { SharedSocket } from "./shared-socket.js";

/**
 * Tells the server that this socket leaves, unless somebody else is in the room by way of it. Resolves when it was answered, or
 * will not be.
 *
 * Without a connection it is told if there is one within the grace, since the server may put the user back then. After the grace
 * the user is out anyhow.
 */
export function tellLeave(
  shared: SharedSocket,
  environment: Environment,
  payload: LeaveRoom & { roomId: string },
  graceMs: number,
): Promise<void> {
  const { socket } = shared;
  return new Promise((resolve) => {
    const line = new Line(shared, environment);
    const end = () => {
      socket.off("connect", connected);
      socket.off("disconnect", end);
      line.close();
      resolve();
    };
    const tell = (tries = 0) => {
      if (!payload.everywhere && shared.isTaken(payload.roomId)) {
        end();
        return;
      }
      line.ask("leave_room", payload, ({ refusal }) => {
        if (refusal?.code === "rate_limited") {
          line.after(pauseBefore(refusal, tries, environment.random()), () => tell(tries + 1)); // else it would stay in
        } else {
          end();
        }
      });
    };
    const connected = () => {
      socket.on("disconnect", end);
      tell();
    };
    if (socket.connected) {
      connected();
    } else if (socket.active) {
      socket.on("connect", connected);
      line.after(graceMs, end);
    } else {
      end();
    }
  });
}
