import { useCallback, useEffect, useRef } from "react";
import { Wordmark } from "../components/Wordmark";
import { addressOf, useRoomInAddress } from "./address";
import type { Api } from "./api";
import { Banner } from "./Banner";
import { Charts } from "./Charts";
import { Nodes } from "./Nodes";
import { Redis } from "./Redis";
import { Room } from "./Room";
import { Rooms } from "./Rooms";
import { Status } from "./Status";
import { Tiles } from "./Tiles";
import { usePoll } from "./usePoll";

/** The poll interval for live data. */
export const LIVE = 2_000;

/** The list of rooms, next to an overview or to one room. */
export function Dashboard({ api, onForgetKey }: { api: Api; onForgetKey: (() => void) | null }) {
  const [roomId, go] = useRoomInAddress();
  const readiness = usePoll(useCallback((signal: AbortSignal) => api.readiness(signal), [api]), LIVE);
  const redis = usePoll(useCallback((signal: AbortSignal) => api.redis(signal), [api]), LIVE);
  const stats = usePoll(useCallback((signal: AbortSignal) => api.stats(signal), [api]), LIVE);
  const nodes = usePoll(useCallback((signal: AbortSignal) => api.nodes(signal), [api]), LIVE);

  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(roomId);
  useEffect(() => {
    document.title = `${roomId === null ? "" : `${roomId} · `}Dashboard · Hadir`;
    if (shown.current !== roomId) {
      shown.current = roomId;
      heading.current?.focus();
    }
  }, [roomId]);

  return (
    <div className="dashboard">
      <header className="bar">
        <Wordmark />
        <a
          className="where"
          href={addressOf(null)}
          onClick={(event) => {
            if (!event.metaKey && !event.ctrlKey && !event.shiftKey) {
              event.preventDefault();
              go(null);
            }
          }}
        >
          Dashboard
        </a>
        <Status readiness={readiness} updatedAt={stats.at} />
        {onForgetKey && (
          <button className="button" onClick={onForgetKey}>
            Forget key
          </button>
        )}
      </header>
      <Banner readiness={readiness} redis={redis} updatedAt={stats.at} />

      <main className={roomId === null ? "floor" : "floor in-room"}>
        {roomId === null && (
          <>
            <h1 className="hidden-text" ref={heading} tabIndex={-1}>
              Overview
            </h1>
            <Tiles stats={stats} nodes={nodes} />
          </>
        )}
        <Rooms api={api} total={stats.value?.roomsOccupied ?? null} chosen={roomId} onChoose={go} />
        <div className="chosen">
          {roomId === null ? (
            <>
              <Charts api={api} />
              <div className="pair">
                <Nodes nodes={nodes} />
                <Redis redis={redis} readiness={readiness} />
              </div>
            </>
          ) : (
            <Room key={roomId} api={api} roomId={roomId} nodes={nodes.value} heading={heading} onBack={() => go(null)} />
          )}
        </div>
      </main>
      <footer className="soft small">
        <a href="/">Room page</a> <a href="/docs">HTTP API</a>
      </footer>
    </div>
  );
}
