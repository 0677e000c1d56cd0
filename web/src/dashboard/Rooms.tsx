import { useCallback, useEffect, useState } from "react";
import { count, number } from "../components/format";
import { addressOf } from "./address";
import type { Api } from "./api";
import { LIVE } from "./Dashboard";
import { Panel } from "./Panel";
import { usePoll } from "./usePoll";

const STEP = 50;
const DEBOUNCE_MS = 250;

interface Props {
  api: Api;
  /** The number of occupied rooms; null if unknown. */
  total: number | null;
  chosen: string | null;
  onChoose: (roomId: string) => void;
}

/** The occupied rooms, with a search by id. */
export function Rooms({ api, total, chosen, onChoose }: Props) {
  const [typed, setTyped] = useState("");
  const text = useDebounced(typed.trim(), DEBOUNCE_MS);
  const [shown, setShown] = useState(STEP);
  const rooms = usePoll(useCallback((signal: AbortSignal) => api.rooms(text, shown, signal), [api, text, shown]), LIVE);
  const { items, more } = rooms.value ?? { items: [], more: false };

  return (
    <Panel
      id="rooms"
      title="Occupied rooms"
      beside={total !== null && <span className="soft small">{number(total)}</span>}
      polled={rooms}
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
            <a
              href={addressOf(roomId)}
              aria-current={roomId === chosen ? "page" : undefined}
              onClick={(event) => {
                if (!event.metaKey && !event.ctrlKey && !event.shiftKey) {
                  event.preventDefault();
                  onChoose(roomId);
                }
              }}
            >
              <span className="room-id">{roomId}</span>
              <span className="viewers">
                <span aria-hidden="true">{number(viewerCount)}</span>
                <span className="hidden-text">{count(viewerCount, "person", "people")}</span>
              </span>
            </a>
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
