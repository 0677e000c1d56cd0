import { Avatar } from "../components/Avatar";
import { clock } from "../components/format";
import { useMayChange } from "./access";
import type { Participant, ServerNode } from "./api";
import { Link } from "./Link";
import { SocketId } from "./SocketId";
import { STALE } from "./Status";
import { stayInWords } from "./state";
import { useNow } from "./useNow";
import { ago, countdown, date } from "./format";

const ENDS_SOON = 60_000;
const COLUMNS = ["User", "Socket", "Node", "TTL left", "Last active", "Joined"];

interface Props {
  roomId: string;
  people: readonly Participant[];
  /** When the server answered. */
  at: number;
  /** The room's TTL. */
  ttlMs: number | null;
  nodes: readonly ServerNode[] | null;
  onKick: (person: Participant) => void;
}

/** One row per participant; on a phone, one card. The roles are explicit, because CSS layout removes a table's implicit roles. */
export function Participants({ people, ...shared }: Props) {
  const mayChange = useMayChange();
  if (people.length === 0) {
    return <p className="soft empty">Nobody is in this room.</p>;
  }
  return (
    <table role="table" className="why-listed" aria-label="Participants">
      <thead role="rowgroup">
        <tr role="row">
          {COLUMNS.map((name) => (
            <th key={name} role="columnheader" scope="col">
              {name}
            </th>
          ))}
          {mayChange && (
            <th role="columnheader" scope="col">
              <span className="hidden-text">Kick</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {people.map((person) => (
          <Row key={person.userId} person={person} {...shared} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ person, roomId, at, ttlMs, nodes, onKick }: { person: Participant } & Omit<Props, "people">) {
  const now = useNow();
  const mayChange = useMayChange();
  const { userId, username, joinedAt, lastActiveAt, socketId, nodeId } = person;
  // Without a fresh answer the countdown stops, because the key may have been renewed.
  const since = Math.min(Math.max(0, now - at), STALE);
  const left = person.ttlMs === null ? null : Math.max(0, person.ttlMs - since);
  const stay = stayInWords(person, left);
  const ends = left !== null && left < ENDS_SOON;
  const today = new Date(joinedAt).toDateString() === new Date(now).toDateString();
  return (
    <tr role="row">
      <td role="cell" className="person">
        <Avatar userId={userId} name={username} />
        <span className="who">
          <Link className="name" to={{ room: roomId, user: userId }} dir="auto" title={`${username}: why they are listed`}>
            {username}
          </Link>
          <span className="soft small id">{userId}</span>
        </span>
      </td>
      <td role="cell" data-name="Socket">
        {socketId === null ? "–" : <SocketId id={socketId} />}
      </td>
      <td role="cell" data-name="Node">
        <code>{nodeId ?? "–"}</code>
        {nodeId !== null && nodes && !nodes.some((node) => node.nodeId === nodeId) && <span className="bad small"> no lease</span>}
      </td>
      <td role="cell" data-name="TTL left" className={ends ? "ttl soon" : "ttl"}>
        {stay && (
          <>
            <span className="stay">
              {stay.how}
              <span className="hidden-text">,</span>
            </span>{" "}
          </>
        )}
        {stay?.left || (left === null ? "–" : countdown(left))}
        {left !== null && ttlMs !== null && stay === null && <progress aria-hidden="true" max={ttlMs} value={left} />}
      </td>
      <td role="cell" data-name="Last active">
        <time dateTime={new Date(lastActiveAt).toISOString()}>{ago(now - lastActiveAt)}</time>
      </td>
      <td role="cell" data-name="Joined">
        <time dateTime={new Date(joinedAt).toISOString()}>{today ? clock(joinedAt) : date(joinedAt)}</time>
      </td>
      {mayChange && (
        <td role="cell" className="do">
          <button className="button" onClick={() => onKick(person)}>
            Kick<span className="hidden-text"> {username}</span>
          </button>
        </td>
      )}
    </tr>
  );
}
