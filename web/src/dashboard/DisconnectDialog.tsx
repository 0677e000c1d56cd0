import { useState } from "react";
import { Dialog } from "../components/Dialog";
import type { Api } from "./api";
import { MessageField } from "./MessageField";
import { useAction } from "./useAction";

const DEFAULT = "You have been removed from the chatroom";

interface Props {
  api: Api;
  userId: string;
  /** Called with the number of closed sockets. */
  onDone: (sockets: number) => void;
  onClose: () => void;
}

/** Confirms that a user is disconnected everywhere. */
export function DisconnectDialog({ api, userId, onDone, onClose }: Props) {
  const [message, setMessage] = useState(DEFAULT);
  const [revoke, setRevoke] = useState(false);
  const { busy, problem, run } = useAction();

  const disconnect = async () => {
    const words = message.trim();
    onDone((await api.disconnect(userId, words === "" || words === DEFAULT ? null : words, revoke)).sockets);
  };

  return (
    <Dialog className="kick" labelledBy="disconnect-title" describedBy="disconnect-note" onClose={onClose}>
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            run(() => disconnect().then(close));
          }}
        >
          <h2 id="disconnect-title">
            Disconnect <span dir="auto">{userId}</span>?
          </h2>
          <p className="soft" id="disconnect-note">
            Removes them from all rooms without a grace period, with this message, and closes all their sockets.
          </p>
          <MessageField
            id="disconnect-message"
            value={message}
            onChange={setMessage}
            problemId={problem === "" ? null : "disconnect-problem"}
          />
          <label className="check">
            <input type="checkbox" checked={revoke} onChange={(event) => setRevoke(event.target.checked)} />
            Also reject the tokens they have now
          </label>
          {problem !== "" && (
            <p className="notice bad" role="alert" id="disconnect-problem">
              {problem}
            </p>
          )}
          <div className="choices">
            <button className="button danger" disabled={busy}>
              Disconnect
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
