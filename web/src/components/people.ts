const TONES = 8;
const LETTERS = /[\p{L}\p{N}]/u;

/** At most two letters that stand for a name, whatever it is written with. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).flatMap((word) => [...word].find((letter) => LETTERS.test(letter)) ?? []);
  const first = words[0];
  if (first === undefined) {
    return [...name.trim()][0] ?? "?";
  }
  const last = words.length > 1 ? (words.at(-1) ?? "") : "";
  return (first + last).toLocaleUpperCase();
}

/** A colour that stays with the user. */
export function toneOf(userId: string): number {
  return hash(userId) % TONES;
}

/**
 * The id of whoever goes by this name, so that the same name in another tab is the same user. A name that does not fit into an id
 * gets a number instead of what is lost.
 */
export function userIdOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{Mn}/gu, "").toLowerCase();
  const id = plain.replace(/[^a-z0-9._~@-]+/g, "-").replace(/^[-.]+|[-.]+$/g, "");
  const fits = /^[a-z0-9._~@\s-]+$/.test(plain) && id !== "";
  return fits ? id : `${id.slice(0, 100)}${id === "" ? "user-" : "-"}${hash(name).toString(36)}`;
}

function hash(text: string): number {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  }
  return value >>> 0;
}
