import { useState } from "react";
import { Dialog } from "../components/Dialog";
import { type Api, Failure } from "./api";
import { MessageField } from "./MessageField";
import { useAction } from "./useAction";

/** The server's message for a kick without one. */
const DEFAULT = "You have been removed from the chatroom";

const BANS = [
  { seconds: 0, words: "No, they can join again" },
  { seconds: 600, words: "For 10 minutes" },
  { seconds: 3_600, words: "For 1 hour" },
  { seconds: 86_400, words: "For 1 day" },
  { seconds: 7 * 86_400, words: "For 7 days" },
  { seconds: 30 * 86_400, words: "For 30 days" },
];

interface Props {
  api: Api;
  roomId: string;
  userId: string;
  username: string;
  /** Called with the result as text. */
  onDone: (words: string) => void;
  onClose: () => void;
}

/** Confirms a kick, asks for the message to the user, and for how long they are banned. */
export function KickDialog({ api, roomId, userId, username, onDone, onClose }: Props) {
  const [message, setMessage] = useState(DEFAULT);
  const [seconds, setSeconds] = useState(0);
  const { busy, problem, run } = useAction();

  const kick = async () => {
    const words = message.trim();
    try {
      await api.kick(roomId, userId, words === "" || words === DEFAULT ? null : words, seconds === 0 ? null : seconds);
      onDone(`${username} was kicked from ${roomId}${seconds === 0 ? "" : " and banned"}.`);
    } catch (error) {
      if (!(error instanceof Failure) || error.status !== 404) {
        throw error;
      }
      onDone(`${username} was no longer in ${roomId}.`);
    }
  };

  return (
    <Dialog className="kick" labelledBy="kick-title" describedBy="kick-note" onClose={onClose}>
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            run(() => kick().then(close));
          }}
        >
          <h2 id="kick-title">
            Kick <span dir="auto">{username}</span>?
          </h2>
          <p className="soft" id="kick-note">
            Removes them from <span className="room-id">{roomId}</span> on all their tabs and devices, with this message.
          </p>
          <MessageField id="kick-message" value={message} onChange={setMessage} problemId={problem === "" ? null : "kick-problem"} />
          <div className="field">
            <label htmlFor="kick-ban">Ban them from this room</label>
            <select id="kick-ban" value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
              {BANS.map((ban) => (
                <option key={ban.seconds} value={ban.seconds}>
                  {ban.words}
                </option>
              ))}
            </select>
          </div>
          {problem !== "" && (
            <p className="notice bad" role="alert" id="kick-problem">
              {problem}
            </p>
          )}
          <div className="choices">
            <button className="button danger" disabled={busy}>
              {seconds === 0 ? "Kick" : "Kick and ban"}
            </button>
            <button className="button" type="button" onClick={close}>
              Cancel
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
