import { clock } from "../components/words";
import type { News } from "./useNews";

/** Read out as it comes, and never in a flood: many at once are one line. */
export function NewsList({ news }: { news: readonly News[] }) {
  return (
    <div className="news" role="log" aria-labelledby="news" tabIndex={0}>
      {news.length === 0 && <p className="soft">Nothing yet.</p>}
      <ul>
        {news.map(({ id, at, kind, text }) => (
          <li key={id} className={kind}>
            <time className="soft small" dateTime={new Date(at).toISOString()}>
              {clock(at)}
            </time>
            <span dir="auto">{text}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
