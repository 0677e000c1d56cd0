import { userIdOf } from "../components/people";

/** Who is where in this tab. */
export interface Visit {
  readonly roomId: string;
  readonly name: string;
  /** Empty in open mode, where a name is enough. */
  readonly token: string;
}

/** What can be seen, with single spaces inside; the server says what else an id may not be. */
export const ROOM_PATTERN = "[^\\p{C}\\p{Z}]+( [^\\p{C}\\p{Z}]+)*";

const KEPT = "hadir:visit";
const ROOMS = "hadir:rooms";
const MOST_ROOMS = 30;

/** The room and the name in the address, as somebody shared it. */
export function readAddress(): { roomId: string; name: string } {
  const query = new URLSearchParams(location.search);
  return { roomId: query.get("room") ?? "", name: (query.get("name") ?? "").trim() };
}

/**
 * Where this tab goes without asking: back to where it was before a refresh, or to where a link with a name leads. Null if somebody
 * has to say.
 */
export function firstVisit(): Visit | null {
  const address = readAddress();
  const kept = read<Visit>(KEPT);
  if (address.roomId !== "" && address.name !== "") {
    return { ...address, token: kept?.token ?? "" };
  }
  if (kept && (address.roomId === "" || address.roomId === kept.roomId)) {
    return kept;
  }
  return null;
}

/** Keeps the visit for a refresh, in this tab only, and shows the room in the address. */
export function keep(visit: Visit): void {
  write(KEPT, visit);
  write(ROOMS, [visit.roomId, ...knownRooms().filter((room) => room !== visit.roomId)].slice(0, MOST_ROOMS));
  show(addressOf(visit.roomId));
}

/** After leaving: a refresh stays outside, and the address still says which room it was. */
export function forget(): void {
  sessionStorage.removeItem(KEPT);
}

/** The rooms that this tab has been in, the latest first. */
export function knownRooms(): string[] {
  const rooms = read<unknown>(ROOMS);
  return Array.isArray(rooms) ? rooms.filter((room) => typeof room === "string") : [];
}

export function addressOf(roomId: string, name?: string): string {
  const query = new URLSearchParams({ room: roomId, ...(name === undefined ? {} : { name }) });
  return `/?${query.toString()}`;
}

/** With a token the server knows who it is, and another id would be refused. */
export function userOf(visit: Visit): string | undefined {
  return visit.token === "" ? userIdOf(visit.name) : undefined;
}

function show(address: string): void {
  if (location.pathname + location.search !== address) {
    history.replaceState(null, "", address);
  }
}

function read<T>(key: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as T | null;
  } catch {
    return null;
  }
}

function write(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing: then a refresh asks for the name again.
  }
}
