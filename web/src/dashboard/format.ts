import { number } from "../components/format";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const EXACT = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DATE = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** The time of day, to the second. */
export function exactClock(epochMillis: number): string {
  return EXACT.format(epochMillis);
}

/** The date and the time of day. */
export function date(epochMillis: number): string {
  return DATE.format(epochMillis);
}

/** A duration in its two largest units: `5 h 59 min`, `12 s`. */
export function duration(ms: number): string {
  const left = Math.max(0, ms);
  const inUnits = (large: number, largeName: string, small: number, smallName: string) => {
    const first = Math.floor(left / large);
    const second = Math.floor((left % large) / small);
    return second === 0 ? `${first} ${largeName}` : `${first} ${largeName} ${second} ${smallName}`;
  };
  if (left >= DAY) {
    return inUnits(DAY, "d", HOUR, "h");
  }
  if (left >= HOUR) {
    return inUnits(HOUR, "h", MINUTE, "min");
  }
  return left >= MINUTE ? inUnits(MINUTE, "min", SECOND, "s") : `${Math.floor(left / SECOND)} s`;
}

/** Remaining time, to the second: `5:59:48`, `0:09`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND));
  const two = (n: number) => String(n).padStart(2, "0");
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60];
  const clock = days + hours > 0 ? `${hours}:${two(minutes)}` : minutes;
  return `${days > 0 ? `${days} d ` : ""}${clock}:${two(seconds % 60)}`;
}

/** How long ago. A negative time, from a clock that is slightly ahead, is `just now`. */
export function ago(ms: number): string {
  return ms < SECOND ? "just now" : `${ms < MINUTE ? `${Math.floor(ms / SECOND)} s` : duration(ms).replace(/ \d+ s$/, "")} ago`;
}

/** Milliseconds with two significant digits below 100. */
export function millis(ms: number): string {
  return `${ms >= 100 ? number(Math.round(ms)) : Number(ms.toPrecision(2))} ms`;
}

export function bytes(n: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = n;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : Number(value.toPrecision(2))} ${units[unit]}`;
}
