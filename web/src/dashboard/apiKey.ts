const STORAGE_KEY = "hadir:api-key";
/** Used if the browser blocks the session storage. */
let inMemory: string | null = null;

/** The API key, stored only until this tab is closed, and never in a cookie. */
export function storedKey(): string | null {
  try {
    return sessionStorage.getItem(STORAGE_KEY) ?? inMemory;
  } catch {
    return inMemory;
  }
}

export function storeKey(key: string): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, key);
  } catch {
    inMemory = key; // a reload will ask for the key again
  }
}

export function forgetKey(): void {
  inMemory = null;
  try {
    sessionStorage.removeItem(STORAGE_KEY);
  } catch {
    // Nothing was stored.
  }
}
