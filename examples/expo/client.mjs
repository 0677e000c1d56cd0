import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Installs @hadir/client as it would come from a registry: packed, from this repository. */
const here = fileURLToPath(new URL(".", import.meta.url));
const target = join(here, "node_modules/@hadir/client");
const packed = mkdtempSync(join(tmpdir(), "hadir-client-"));
try {
  const answer = execFileSync("npm", ["pack", join(here, "../../client"), "--json", "--pack-destination", packed], { encoding: "utf8", cwd: here });
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", join(packed, JSON.parse(answer)[0].filename.replace("@", "").replace("/", "-")), "-C", target, "--strip-components=1"]);
} finally {
  rmSync(packed, { recursive: true, force: true });
}
