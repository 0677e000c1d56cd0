import { Hadir } from "./hadir.js";
import type { AnyServer, HadirOptions } from "./options.js";

export { HadirError } from "./api.js";
export { Hadir, type HadirEvents, type Listing, type MessageResult, type Participant } from "./hadir.js";
export type { AnyNamespace, AnyServer, AnySocket, HadirOptions, HadirUser } from "./options.js";
export type { Id } from "./wire.js";

/** How long an app's start waits for Hadir. */
const FIRST_WAIT_MS = 2_000;

/**
 * Attaches Hadir to a Socket.IO server: from now on, all of Hadir's events work on its sockets. Resolves when the trunk is up, or
 * after two seconds; the trunk then comes up later by itself.
 *
 * @throws TypeError if an option is wrong
 * @throws Error if every node refuses the key
 */
export async function attachHadir(io: AnyServer, options: HadirOptions): Promise<Hadir> {
  const hadir = new Hadir(io, options);
  const nodes = typeof options.url === "string" ? 1 : options.url.length;
  let refusals = 0;
  return new Promise((resolve, reject) => {
    const ends: (() => void)[] = [];
    const end = (settle: () => void) => {
      ends.forEach((one) => one());
      settle();
    };
    const timer = setTimeout(() => end(() => resolve(hadir)), FIRST_WAIT_MS);
    ends.push(
      () => clearTimeout(timer),
      hadir.on("connected", () => end(() => resolve(hadir))),
      hadir.on("disconnected", ({ code, message }) => {
        refusals = code === "unauthenticated" ? refusals + 1 : 0;
        if (refusals >= nodes) {
          hadir.close();
          end(() => reject(new Error(message)));
        }
      }),
    );
  });
}
