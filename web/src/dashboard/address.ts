import { useCallback, useEffect, useState } from "react";

const read = () => new URLSearchParams(location.search).get("room") || null;

export function addressOf(roomId: string | null): string {
  return roomId === null ? location.pathname : `${location.pathname}?${new URLSearchParams({ room: roomId })}`;
}

/** The room in the URL, null for the overview, and a function that changes it. Follows the browser's back button. */
export function useRoomInAddress(): [string | null, (roomId: string | null) => void] {
  const [roomId, setRoomId] = useState(read);
  useEffect(() => {
    const update = () => setRoomId(read());
    addEventListener("popstate", update);
    return () => removeEventListener("popstate", update);
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
