import { useCallback, useState } from "react";
import { count } from "../components/format";
import type { Api, Change } from "./api";
import { LIVE } from "./Dashboard";
import { exactClock } from "./format";
import { Link } from "./Link";
import { Panel } from "./Panel";
import { reasonInWords } from "./state";
import { usePoll } from "./usePoll";

const KEPT = 300;
const KINDS = [
  { what: "", words: "All" },
  { what: "joined", words: "Joins" },
  { what: "left", words: "Leaves" },
];

/** Who joined and left lately, live, in all rooms or one. */
export function Changes({ api, roomId }: { api: Api; roomId: string | null }) {
  const [kind, setKind] = useState("");
  const [text, setText] = useState("");
  const changes = usePoll(useCallback((signal: AbortSignal) => api.changes(roomId, KEPT, signal), [api, roomId]), LIVE);
  const wanted = text.trim().toLowerCase();
  const shown = changes.value?.filter((change) => matches(change, kind, wanted));
  return (
    <Panel id="changes" title={roomId === null ? "Joins and leaves, live" : "Joins and leaves here"} polled={changes} className="changes-panel">
      <div className="filter">
        <input
          type="search"
          aria-label="Filter joins and leaves"
          placeholder={roomId === null ? "User, room or reason" : "User or reason"}
          value={text}
          onChange={(event) => setText(event.target.value)}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
        />
        <select aria-label="Which changes" value={kind} onChange={(event) => setKind(event.target.value)}>
          {KINDS.map(({ what, words }) => (
            <option key={what} value={what}>
              {words}
            </option>
          ))}
        </select>
      </div>
      <div className="feed" role="region" aria-label="Recent joins and leaves" tabIndex={0}>
        {shown?.length === 0 && (
          <p className="soft empty">{changes.value?.length === 0 ? "Nobody joined or left in the last hour." : "None of the latest match."}</p>
        )}
        <ul>
          {shown?.map((change) => (
            <Row key={change.id} change={change} withRoom={roomId === null} />
          ))}
        </ul>
      </div>
    </Panel>
  );
}

function matches(change: Change, kind: string, text: string): boolean {
  if (change.what === "skipped") {
    return kind === "" && text === "";
  }
  const words = [change.userId, change.roomId, change.reason ?? "", reasonInWords(change.reason ?? "")];
  return (kind === "" || change.what === kind) && (text === "" || words.some((word) => word?.toLowerCase().includes(text)));
}

function Row({ change, withRoom }: { change: Change; withRoom: boolean }) {
  const { at, what, roomId = "", userId = "", reason, count: skipped = 0 } = change;
  return (
    <li className={what}>
      <time className="soft small" dateTime={new Date(at).toISOString()}>
        {exactClock(at)}
      </time>
      {what === "skipped" ? (
        <span className="soft">{count(skipped, "further change", "further changes")} in the same second</span>
      ) : (
        <span className="line">
          <span className="mark" aria-hidden="true">
            {what === "joined" ? "+" : "−"}
          </span>{" "}
          <Link to={{ room: roomId, user: userId }} className="whose" dir="auto">
            {userId}
          </Link>{" "}
          {what}
          {withRoom && (
            <>
              {" "}
              <Link to={{ room: roomId, user: null }} className="whose" dir="auto">
                {roomId}
              </Link>
            </>
          )}
          {reason !== undefined && reason !== "left" && <span className="soft">, {reasonInWords(reason)}</span>}
        </span>
      )}
    </li>
  );
}
