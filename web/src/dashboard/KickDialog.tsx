import { type FormEvent, useState } from "react";
import { Dialog } from "../components/Dialog";
import { type Api, Failure, type Participant } from "./api";

/** The server's message for a kick without one. */
const DEFAULT = "You have been removed from the chatroom";

interface Props {
  api: Api;
  roomId: string;
  person: Participant;
  /** Called with the result as text. */
  onDone: (words: string) => void;
  onClose: () => void;
}

/** Confirms a kick and asks for the message to the user. */
export function KickDialog({ api, roomId, person, onDone, onClose }: Props) {
  const { userId, username } = person;
  const [message, setMessage] = useState(DEFAULT);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);

  const kick = async (event: FormEvent, close: () => void) => {
    event.preventDefault();
    const words = message.trim();
    setBusy(true);
    try {
      await api.kick(roomId, userId, words === "" || words === DEFAULT ? null : words);
      onDone(`${username} was kicked from ${roomId}.`);
      close();
    } catch (error) {
      if (error instanceof Failure && error.status === 404) {
        onDone(`${username} was no longer in ${roomId}.`);
        close();
      } else {
        setProblem((error as Error).message);
        setBusy(false);
      }
    }
  };

  return (
    <Dialog className="kick" labelledBy="kick-title" describedBy="kick-note" onClose={onClose}>
      {(close) => (
        <form onSubmit={(event) => void kick(event, close)}>
          <h2 id="kick-title">
            Kick <span dir="auto">{username}</span>?
          </h2>
          <p className="soft" id="kick-note">
            Removes them from <span className="room-id">{roomId}</span> on all their tabs and devices, with this message. They can join again.
          </p>
          <div className="field">
            <label htmlFor="kick-message">Message</label>
            <textarea
              id="kick-message"
              rows={3}
              maxLength={500}
              value={message}
              onChange={(event) => setMessage(event.target.value)}
              dir="auto"
              aria-invalid={problem !== ""}
              aria-describedby={problem === "" ? undefined : "kick-problem"}
              autoFocus
            />
          </div>
          {problem !== "" && (
            <p className="notice bad" role="alert" id="kick-problem">
              {problem}
            </p>
          )}
          <div className="choices">
            <button className="button danger" disabled={busy}>
              Kick
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
