import { createContext, useCallback, useEffect, useState } from "react";

/** What the page shows: one user in one room, a room, a user, or the overview if both are null. */
export interface Place {
  readonly room: string | null;
  readonly user: string | null;
}

export const OVERVIEW: Place = { room: null, user: null };

export const roomOf = (room: string): Place => ({ room, user: null });

export type Go = (to: Place) => void;

/** Changes the place. */
export const GoContext = createContext<Go>(() => {});

const read = (): Place => {
  const query = new URLSearchParams(location.search);
  return { room: query.get("room") || null, user: query.get("user") || null };
};

export function addressOf({ room, user }: Place): string {
  const query = new URLSearchParams({ ...(room === null ? {} : { room }), ...(user === null ? {} : { user }) });
  return query.size === 0 ? location.pathname : `${location.pathname}?${query}`;
}

/** The place in the URL, and a function that changes it. Follows the browser's back button. */
export function usePlace(): [Place, Go] {
  const [place, setPlace] = useState(read);
  useEffect(() => {
    const update = () => setPlace(read());
    addEventListener("popstate", update);
    return () => removeEventListener("popstate", update);
  }, []);
  const go = useCallback((next: Place) => {
    if (addressOf(next) !== addressOf(read())) {
      history.pushState(null, "", addressOf(next));
      setPlace(next);
      scrollTo(0, 0);
    }
  }, []);
  return [place, go];
}
