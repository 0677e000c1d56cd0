// A client to be killed: node client.mjs URL VERSION WAY prints the id of its socket once it is connected.
import { Kind } from "./support.mjs";

const [url, version, way] = process.argv.slice(2);
const socket = await new Kind(version, way).connect({ after() {} }, url);
console.log(socket.id);
