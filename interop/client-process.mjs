// A client process for tests that kill it: node client-process.mjs URL VERSION TRANSPORT connects and prints its socket id.
import { ClientKind } from "./support.mjs";

const [url, version, transport] = process.argv.slice(2);
const socket = await new ClientKind(version, transport).connect({ after() {} }, url);
console.log(socket.id);
