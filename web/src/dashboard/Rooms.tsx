import { useCallback, useEffect, useState } from "react";
import { count, number } from "../components/format";
import { roomOf } from "./address";
import type { Api } from "./api";
import { LIVE } from "./Dashboard";
import { Link } from "./Link";
import { Panel } from "./Panel";
import { usePoll } from "./usePoll";

const STEP = 50;
const DEBOUNCE_MS = 250;

interface Props {
  api: Api;
  /** The number of occupied rooms; null if unknown. */
  total: number | null;
  chosen: string | null;
}

/** So many rooms are not read every two seconds. */
const MANY = 2_000;
const SELDOM = 10_000;

/** The occupied rooms, the largest first or by id, with a search by id. */
export function Rooms({ api, total, chosen }: Props) {
  const [bySize, setBySize] = useState(true);
  const [typed, setTyped] = useState("");
  const text = useDebounced(typed.trim(), DEBOUNCE_MS);
  const [shown, setShown] = useState(STEP);
  const rooms = usePoll(
    useCallback((signal: AbortSignal) => api.rooms(text, bySize, shown, signal), [api, text, bySize, shown]),
    bySize && (total ?? 0) > MANY ? SELDOM : LIVE,
  );
  const { items, more } = rooms.value ?? { items: [], more: false };

  return (
    <Panel
      id="rooms"
      title="Rooms"
      beside={
        <>
          {total !== null && <span className="soft small">{number(total)}</span>}
          <span className="ranges" role="group" aria-label="Order of rooms">
            <button aria-pressed={bySize} onClick={() => setBySize(true)}>
              Size
            </button>
            <button aria-pressed={!bySize} onClick={() => setBySize(false)}>
              Name
            </button>
          </span>
        </>
      }
      polled={rooms}
      {...(bySize && (total ?? 0) > MANY ? { stale: 3 * SELDOM } : {})}
      className="rooms-panel"
    >
      <search>
        <label className="hidden-text" htmlFor="search">
          Search rooms
        </label>
        <input
          id="search"
          type="search"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setShown(STEP);
          }}
          placeholder="Search"
          maxLength={128}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
        />
      </search>
      <ul className="rooms" aria-label="Occupied rooms">
        {items.map(({ roomId, viewerCount }) => (
          <li key={roomId}>
            <Link to={roomOf(roomId)} aria-current={roomId === chosen ? "page" : undefined}>
              <span className="room-id">{roomId}</span>
              <span className="viewers">
                <span aria-hidden="true">{number(viewerCount)}</span>
                <span className="hidden-text">{count(viewerCount, "person", "people")}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {items.length === 0 && (
        <p className="soft empty">{text === "" ? "All rooms are empty." : more ? "None found so far." : "No occupied room has that in its id."}</p>
      )}
      {more && (
        <button className="button more" onClick={() => setShown(shown + STEP)}>
          {items.length === 0 ? "Search further" : "Show more"}
        </button>
      )}
    </Panel>
  );
}

/** The value after it has not changed for this long. */
function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
