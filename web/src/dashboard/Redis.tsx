import { count, number } from "../components/format";
import type { Readiness, RedisState } from "./api";
import { Panel } from "./Panel";
import { useNow } from "./useNow";
import type { Polled } from "./usePoll";
import { ago, bytes, millis } from "./format";

/** The state of Redis, and whether the server is ready. */
export function Redis({ redis, readiness }: { redis: Polled<RedisState>; readiness: Polled<Readiness> }) {
  const now = useNow();
  const state = redis.value;
  return (
    <Panel id="redis" title="Redis and readiness" polled={redis}>
      {state && (
        <>
          {state.evicting && (
            <p className="notice">
              This Redis evicts keys when its memory is full, and users then disappear from rooms. Set{" "}
              <code>maxmemory-policy noeviction</code>.
            </p>
          )}
          <dl className="facts">
            <Fact name="State">
              <span className={state.connected ? "good" : "bad"}>{state.connected ? "connected" : "unreachable"}</span>
            </Fact>
            <Fact name="Mode">{state.mode}</Fact>
            <Fact name="Version">{state.version}</Fact>
            <Fact name="Memory">
              {state.usedMemoryBytes !== null &&
                bytes(state.usedMemoryBytes) + (state.maxMemoryBytes ? ` of ${bytes(state.maxMemoryBytes)}` : "")}
            </Fact>
            <Fact name="Latency">{state.latencyMs !== null && millis(state.latencyMs)}</Fact>
          </dl>
        </>
      )}
      <p className="readiness" data-testid="ready-words">
        {readiness.failure || readiness.value === null ? "It is unknown whether the server is ready." : inWords(readiness.value, now)}
      </p>
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="soft small">{name}</dt>
      <dd>{children || "–"}</dd>
    </div>
  );
}

function inWords(readiness: Readiness, now: number): string {
  if (!readiness.ready) {
    return `Not ready: ${readiness.reason.replace(/\.?$/, ".")}`;
  }
  const { lastSweep } = readiness;
  if (lastSweep === null) {
    return "Ready. No sweep has run yet.";
  }
  const { startedAt, tookMs, scanned, removed } = lastSweep;
  // One node at a time scans; the others only check their own sockets' presences.
  const scan = scanned > 0 ? `, scanned ${count(scanned, "presence", "presences")}` : "";
  return `Ready. The last sweep began ${ago(now - startedAt)}, took ${number(tookMs)} ms${scan} and removed ${removed === 0 ? "nobody" : number(removed)}.`;
}
