import { addressOf } from "./visit";

const NAMES = ["Budi", "Citra", "Dewi", "Eka", "Fajar", "Gita", "Hana", "Indra", "Joko", "Kartika"];

/** Things to try that leave ghosts in other systems. */
export function TryIt({ roomId, taken }: { roomId: string; taken: readonly string[] }) {
  const name = NAMES.find((candidate) => !taken.some((name) => name.startsWith(candidate))) ?? `Guest ${taken.length + 1}`;
  return (
    <>
      <a className="button main second" href={addressOf(roomId, name)} target="_blank" rel="noopener">
        Join as {name} in a new tab
      </a>
      <ul className="ways small soft">
        <li>Refresh this page: nobody sees you leave.</li>
        <li>Close that tab: its user disappears after the grace period.</li>
        <li>Restart the server: you rejoin automatically.</li>
        <li>Flush Redis: a popup says that you are out.</li>
      </ul>
    </>
  );
}
