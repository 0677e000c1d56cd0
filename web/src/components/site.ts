/** What the server says about its address: where clients connect (null if elsewhere), and which pages are there. */
export interface Site {
  readonly socketPath: string | null;
  readonly roomPage: boolean;
  readonly dashboard: boolean;
}

const USUAL: Site = { socketPath: "/socket.io/", roomPage: true, dashboard: true };

/** Asks the server; what is usual if it does not answer. */
export async function loadSite(): Promise<Site> {
  try {
    const answer = await fetch("/site.json", { signal: AbortSignal.timeout(5_000) });
    return answer.ok ? ((await answer.json()) as Site) : USUAL;
  } catch {
    return USUAL;
  }
}
