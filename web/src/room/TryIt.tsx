import { addressOf } from "./visit";

const NAMES = ["Budi", "Citra", "Dewi", "Eka", "Fajar", "Gita", "Hana", "Indra", "Joko", "Kartika"];

/** What usually leaves ghosts, to be tried out. */
export function TryIt({ roomId, taken }: { roomId: string; taken: readonly string[] }) {
  const name = NAMES.find((candidate) => !taken.some((name) => name.startsWith(candidate))) ?? `Guest ${taken.length + 1}`;
  return (
    <>
      <a className="button main second" href={addressOf(roomId, name)} target="_blank" rel="noopener">
        Bring in {name}, in a new tab
      </a>
      <ul className="ways small soft">
        <li>Refresh this page: nobody sees you go.</li>
        <li>Close that tab: it is gone after the grace.</li>
        <li>Restart the server: you come back yourself.</li>
        <li>Empty its Redis: you are told you are out.</li>
      </ul>
    </>
  );
}
