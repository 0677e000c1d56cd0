const TONES = 8;
const LETTERS = /[\p{L}\p{N}]/u;

/** One or two letters that stand for a name, in any script. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).flatMap((word) => [...word].find((letter) => LETTERS.test(letter)) ?? []);
  const first = words[0];
  if (first === undefined) {
    return [...name.trim()][0] ?? "?";
  }
  const last = words.length > 1 ? (words.at(-1) ?? "") : "";
  return (first + last).toLocaleUpperCase();
}

/** The number of the user's colour, always the same for the same user. */
export function toneOf(userId: string): number {
  return hash(userId) % TONES;
}

/**
 * A user id made from a name, so the same name in another tab is the same user. If characters had to be replaced, a hash of the
 * name keeps the id unique.
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
