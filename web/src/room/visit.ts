import { userIdOf } from "../components/people";

/** The user and the room of this tab. */
export interface Visit {
  readonly roomId: string;
  readonly name: string;
  /** Empty in open mode, where a name is enough. */
  readonly token: string;
}

/** Visible characters with single spaces between them. The server checks the other rules for ids. */
export const ROOM_PATTERN = "[^\\p{C}\\p{Z}]+( [^\\p{C}\\p{Z}]+)*";

const STORAGE_KEY = "hadir:visit";
const ROOMS_KEY = "hadir:rooms";
const MAX_ROOMS = 30;

/** The room and the name in the URL. */
export function readAddress(): { roomId: string; name: string } {
  const query = new URLSearchParams(location.search);
  return { roomId: query.get("room") ?? "", name: (query.get("name") ?? "").trim() };
}

/**
 * The room to join without asking: the one before a refresh, or the one in a link that also has a name. Null if the user must
 * choose.
 */
export function firstVisit(): Visit | null {
  const address = readAddress();
  const stored = read<Visit>(STORAGE_KEY);
  if (address.roomId !== "" && address.name !== "") {
    return { ...address, token: stored?.token ?? "" };
  }
  if (stored && (address.roomId === "" || address.roomId === stored.roomId)) {
    return stored;
  }
  return null;
}

/** Stores the visit for a refresh of this tab, and puts the room into the URL. */
export function keep(visit: Visit): void {
  write(STORAGE_KEY, visit);
  write(ROOMS_KEY, [visit.roomId, ...knownRooms().filter((room) => room !== visit.roomId)].slice(0, MAX_ROOMS));
  show(addressOf(visit.roomId));
}

/** Forgets the visit after a leave, so a refresh does not join again. The URL keeps the room. */
export function forget(): void {
  sessionStorage.removeItem(STORAGE_KEY);
}

/** The rooms that this tab has been in, the latest first. */
export function knownRooms(): string[] {
  const rooms = read<unknown>(ROOMS_KEY);
  return Array.isArray(rooms) ? rooms.filter((room) => typeof room === "string") : [];
}

export function addressOf(roomId: string, name?: string): string {
  const query = new URLSearchParams({ room: roomId, ...(name === undefined ? {} : { name }) });
  return `/?${query.toString()}`;
}

/** The user id to send; undefined with a token, because the token already names the user. */
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
    // Without storage, a refresh asks for the name again.
  }
}
