const KEPT = "hadir:api-key";
let unkept: string | null = null;

/** The API key, for as long as this tab is open; in no cookie and in nothing that outlives the tab. */
export function keptKey(): string | null {
  try {
    return sessionStorage.getItem(KEPT) ?? unkept;
  } catch {
    return unkept;
  }
}

export function keepKey(key: string): void {
  try {
    sessionStorage.setItem(KEPT, key);
  } catch {
    unkept = key; // a browser that keeps nothing: then a reload asks again
  }
}

export function forgetKey(): void {
  unkept = null;
  try {
    sessionStorage.removeItem(KEPT);
  } catch {
    // Nothing was kept.
  }
}
