import { useCallback, useEffect, useState } from "react";

const read = () => new URLSearchParams(location.search).get("room") || null;

export function addressOf(roomId: string | null): string {
  return roomId === null ? location.pathname : `${location.pathname}?${new URLSearchParams({ room: roomId })}`;
}

/** The room in the address, null for the overview, and the way to another; the browser's back button is one, too. */
export function useRoomInAddress(): [string | null, (roomId: string | null) => void] {
  const [roomId, setRoomId] = useState(read);
  useEffect(() => {
    const look = () => setRoomId(read());
    addEventListener("popstate", look);
    return () => removeEventListener("popstate", look);
  }, []);
  const go = useCallback((next: string | null) => {
    if (next !== read()) {
      history.pushState(null, "", addressOf(next));
      setRoomId(next);
      scrollTo(0, 0);
    }
  }, []);
  return [roomId, go];
}
