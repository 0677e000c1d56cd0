import { useCallback, useEffect, useRef, useState } from "react";
import { loadSite } from "../components/site";
import { Wordmark } from "../components/Wordmark";
import { MayChange } from "./access";
import { addressOf, GoContext, OVERVIEW, type Place, usePlace } from "./address";
import type { Api } from "./api";
import { Banner } from "./Banner";
import { FindUser } from "./FindUser";
import { Link } from "./Link";
import { Overview } from "./Overview";
import { Room } from "./Room";
import { Rooms } from "./Rooms";
import { Seat } from "./Seat";
import { Status } from "./Status";
import { Tiles } from "./Tiles";
import { User } from "./User";
import { usePoll } from "./usePoll";

/** The poll interval for live data. */
export const LIVE = 2_000;
const SELDOM = 60_000;

/** The list of rooms, next to an overview, a room, a user, or one user in one room. */
export function Dashboard({ api, onForgetKey }: { api: Api; onForgetKey: (() => void) | null }) {
  const [place, go] = usePlace();
  const readiness = usePoll(useCallback((signal: AbortSignal) => api.readiness(signal), [api]), LIVE);
  const redis = usePoll(useCallback((signal: AbortSignal) => api.redis(signal), [api]), LIVE);
  const stats = usePoll(useCallback((signal: AbortSignal) => api.stats(signal), [api]), LIVE);
  const nodes = usePoll(useCallback((signal: AbortSignal) => api.nodes(signal), [api]), LIVE);
  const access = usePoll(useCallback((signal: AbortSignal) => api.mayChange(signal), [api]), SELDOM);
  const mayChange = access.value ?? true;
  const roomPage = useRoomPage();
  const heading = useHeading(place);
  const { room, user } = place;

  return (
    <GoContext value={go}>
      <MayChange value={mayChange}>
        <div className="dashboard">
          <header className="bar">
            <Wordmark href={addressOf(OVERVIEW)} />
            <Link className="where" to={OVERVIEW}>
              Dashboard
            </Link>
            {!mayChange && (
              <span className="chip" title="This tab’s key may only read">
                read only
              </span>
            )}
            <Status readiness={readiness} updatedAt={stats.at} />
            {onForgetKey && (
              <button className="button" onClick={onForgetKey}>
                Forget key
              </button>
            )}
          </header>
          <Banner readiness={readiness} redis={redis} updatedAt={stats.at} />

          <main className={room === null && user === null ? "floor" : "floor in-room"}>
            {room === null && user === null && (
              <>
                <h1 className="hidden-text" ref={heading} tabIndex={-1}>
                  Overview
                </h1>
                <Tiles stats={stats} nodes={nodes} />
              </>
            )}
            <div className="side">
              <FindUser />
              <Rooms api={api} total={stats.value?.roomsOccupied ?? null} chosen={room} />
            </div>
            <div className="chosen">
              {room !== null && user !== null ? (
                <Seat key={`${room} ${user}`} api={api} roomId={room} userId={user} heading={heading} />
              ) : room !== null ? (
                <Room key={room} api={api} roomId={room} nodes={nodes.value} heading={heading} />
              ) : user !== null ? (
                <User key={user} api={api} userId={user} heading={heading} />
              ) : (
                <Overview api={api} stats={stats} nodes={nodes} redis={redis} readiness={readiness} />
              )}
            </div>
          </main>
          <footer className="soft small">
            {roomPage && <a href="/">Room page</a>} <a href="/docs">HTTP API</a>
          </footer>
        </div>
      </MayChange>
    </GoContext>
  );
}

/** The heading of the shown place; it gets the focus when the place changes. */
function useHeading({ room, user }: Place) {
  const heading = useRef<HTMLHeadingElement>(null);
  const name = [user, room].filter((part) => part !== null).join(" · ");
  const shown = useRef(name);
  useEffect(() => {
    document.title = `${name === "" ? "" : `${name} · `}Dashboard · Hadir`;
    if (shown.current !== name) {
      shown.current = name;
      heading.current?.focus();
    }
  }, [name]);
  return heading;
}

/** Whether this address has the room page, too. */
function useRoomPage(): boolean {
  const [there, setThere] = useState(false);
  useEffect(() => {
    void loadSite().then(({ roomPage }) => setThere(roomPage));
  }, []);
  return there;
}
