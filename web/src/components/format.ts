const NUMBERS = new Intl.NumberFormat();
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

export function count(n: number, one: string, many: string): string {
  return `${NUMBERS.format(n)} ${n === 1 ? one : many}`;
}

export function number(n: number): string {
  return NUMBERS.format(n);
}

/** Hours and minutes in the user's locale. */
export function clock(epochMillis: number): string {
  return CLOCK.format(epochMillis);
}
