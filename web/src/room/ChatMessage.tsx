import { useState } from "react";
import { count } from "../components/format";

const MAX_RECIPIENTS = 10_000;

interface Props {
  roomId: string;
  self: string | undefined;
  /** The names of all users seen in this room, by id. Those who left get unread messages. */
  seen: ReadonlyMap<string, string>;
  isIn: boolean;
}

interface Result {
  userId: string;
  unread: number;
  online: boolean;
  shouldNotify: boolean;
}

/** Does what the app's own server does after a user wrote a message: reports its recipients to Hadir. */
export function ChatMessage({ roomId, self, seen, isIn }: Props) {
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);

  const send = async () => {
    setBusy(true);
    const recipients = [...seen.keys()].filter((userId) => userId !== self).slice(0, MAX_RECIPIENTS);
    setSaid(recipients.length === 0 ? "There is nobody to write to yet. Open a tab as another user first." : await post(recipients));
    setBusy(false);
  };

  const post = async (recipients: string[]): Promise<string> => {
    try {
      const answer = await fetch(`/api/v1/rooms/${encodeURIComponent(roomId)}/messages`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ senderId: self, recipients, data: { text: `Hello from ${seen.get(self ?? "") ?? self}` } }),
        signal: AbortSignal.timeout(10_000),
      });
      if (answer.ok) {
        const { results } = (await answer.json()) as { results: Result[] };
        return inWords(results, (userId) => seen.get(userId) ?? userId);
      }
      return answer.status === 401 || answer.status === 403
        ? "This server’s HTTP API requires its key, which a page must not have. Your app’s own server would make this call."
        : answer.status === 404
          ? "This server does not have that endpoint."
          : `The server answered ${answer.status}. Try again in a moment.`;
    } catch {
      return "The server is unreachable.";
    }
  };

  return (
    <div className="chat">
      <p className="soft small">
        Hadir has no chat. Your app reports each message to it, and learns who is looking at the room, who has one more unread message
        and who needs a push. This button plays the part of your app.
      </p>
      <button className="button" onClick={() => void send()} disabled={busy || !isIn}>
        Simulate a message
      </button>
      <p className="said" role="status" dir="auto">
        {said}
      </p>
    </div>
  );
}

function inWords(results: readonly Result[], nameOf: (userId: string) => string): string {
  const looking = results.filter(({ shouldNotify }) => !shouldNotify);
  const elsewhere = results.filter(({ shouldNotify, online }) => shouldNotify && online);
  const offline = results.filter(({ shouldNotify, online }) => shouldNotify && !online);
  const few = (people: readonly Result[], what: (person: Result) => string) =>
    people.length <= 3 ? people.map(what).join(", ") : count(people.length, "person", "people");
  const named = ({ userId }: Result) => nameOf(userId);
  const waiting = (person: Result) => `${named(person)} (${person.unread} unread)`;
  return [
    looking.length > 0 && `Looking at the room: ${few(looking, named)}.`,
    elsewhere.length > 0 && `Notified, because they are looking elsewhere: ${few(elsewhere, waiting)}.`,
    offline.length > 0 && `Offline, so your app sends a push: ${few(offline, waiting)}.`,
  ]
    .filter((part) => part !== false)
    .join(" ");
}
