import { clock } from "../components/format";
import type { LogEntry } from "./useRoomLog";

/** Recent joins, leaves and messages. Screen readers announce new entries. */
export function RoomLog({ entries }: { entries: readonly LogEntry[] }) {
  return (
    <div className="news" role="log" aria-labelledby="news" tabIndex={0}>
      {entries.length === 0 && <p className="soft">Nothing yet.</p>}
      <ul>
        {entries.map(({ id, at, kind, text }) => (
          <li key={id} className={kind}>
            <time className="soft small" dateTime={new Date(at).toISOString()}>
              {clock(at)}
            </time>
            <span dir="auto">{text}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
