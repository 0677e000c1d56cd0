import { useCallback } from "react";
import { count, number } from "../components/format";
import { ReadOnlyNote, useMayChange } from "./access";
import type { Api, Audit as Report, Finding } from "./api";
import { LIVE } from "./Dashboard";
import { ago, duration, millis } from "./format";
import { Link } from "./Link";
import { Panel } from "./Panel";
import { useAction } from "./useAction";
import { useNow } from "./useNow";
import { usePoll } from "./usePoll";

const SHOWN = 20;

/** Starts an audit, and shows the report of the running or the last one. */
export function Audit({ api }: { api: Api }) {
  const mayChange = useMayChange();
  const audit = usePoll(useCallback((signal: AbortSignal) => api.audit(signal), [api]), LIVE);
  const { busy, problem, run } = useAction();
  const report = audit.value?.audit ?? null;
  const running = report !== null && report.phase !== "finished" && report.phase !== "failed";
  const start = (repair: boolean) => run(() => api.startAudit(repair).then(audit.refresh));
  const found = report !== null && !running && report.discrepancies.length > 0;
  return (
    <Panel
      id="audit"
      title="Audit"
      polled={audit}
      beside={
        mayChange && (
          <span className="head-actions">
            {found && !report.repair && (
              <button className="button small-button" disabled={busy || running} onClick={() => start(true)}>
                Repair
              </button>
            )}
            <button className="button small-button" disabled={busy || running} onClick={() => start(false)}>
              {running ? "Running…" : "Run an audit"}
            </button>
          </span>
        )
      }
    >
      {problem !== "" && (
        <p className="notice bad" role="alert">
          {problem}
        </p>
      )}
      {report === null ? (
        <p className="soft">
          Compares keys, index, details, sockets and leases of all nodes. None has run on this node since it started.
        </p>
      ) : (
        <Findings report={report} running={running} />
      )}
      <ReadOnlyNote />
    </Panel>
  );
}

function Findings({ report, running }: { report: Report; running: boolean }) {
  const now = useNow();
  const { startedAt, tookMs, presences, passed, sweepMs, silentNodes, truncated, discrepancies, repaired } = report;
  const when = `Began ${ago(now - startedAt)}`;
  return (
    <>
      <p role="status" data-testid="audit">
        {running ? (
          <>
            {when}. It looks at every suspicion again, for up to {duration(sweepMs)}, so that only lasting faults remain.
          </>
        ) : report.phase === "failed" ? (
          <strong className="bad">The audit failed: Redis did not answer.</strong>
        ) : (
          <>
            <strong className={discrepancies.length === 0 ? "good" : "bad"}>
              {discrepancies.length === 0 ? "No ghosts" : count(discrepancies.length, "discrepancy", "discrepancies")}
            </strong>{" "}
            in {count(presences, "presence", "presences")}. {when}, took {tookMs < 1_000 ? millis(tookMs) : duration(tookMs)}
            {passed > 0 && `; ${number(passed)} passed by themselves`}.
          </>
        )}
      </p>
      {silentNodes.length > 0 && <p className="notice">These nodes did not answer: {silentNodes.join(", ")}.</p>}
      {truncated && <p className="notice">There are more than the report can hold.</p>}
      <List title="Found" findings={discrepancies} />
      <List title="Repaired" findings={repaired} />
    </>
  );
}

function List({ title, findings }: { title: string; findings: readonly Finding[] }) {
  return findings.length === 0 ? null : (
    <>
      <h3 className="small soft">{title}</h3>
      <ul className="findings">
        {findings.slice(0, SHOWN).map(({ kind, roomId, userId, ageMs, cause }) => (
          <li key={`${kind} ${roomId} ${userId}`}>
            <span>
              <code>{kind}</code>{" "}
              {(roomId ?? userId) !== null && (
                <Link to={{ room: roomId, user: userId }}>{[userId, roomId].filter((part) => part !== null).join(" in ")}</Link>
              )}
            </span>
            <span className="soft small">
              {cause}, for {duration(ageMs)}
            </span>
          </li>
        ))}
      </ul>
      {findings.length > SHOWN && <p className="soft small">and {number(findings.length - SHOWN)} more</p>}
    </>
  );
}
