import type { ForceLeave, LeaveReason } from "@hadir/client";
import { Dialog } from "../components/Dialog";

const TITLE = "You are not in the chatroom";

const WHY: Partial<Record<LeaveReason, string>> = {
  presence_lost: "Your place in this room is gone from Redis.",
  inactivity_timeout: "Nothing was heard from this tab for too long.",
  kicked: "Somebody who may do so removed you.",
};

interface Props {
  told: ForceLeave;
  onJoin: () => void;
  onClose: () => void;
}

/** Says that the user was put out, in the server's words, and offers the way back. */
export function OutDialog({ told, onJoin, onClose }: Props) {
  return (
    <Dialog className="put-out" labelledBy="out-title" describedBy="out-why" onClose={onClose}>
      {(close) => (
        <>
          <span className="lamp" aria-hidden="true" />
          <h2 id="out-title">{TITLE}</h2>
          <div id="out-why">
            {told.message !== TITLE && (
              <p className="message" dir="auto">
                {told.message}
              </p>
            )}
            <p className="soft">{WHY[told.reason]}</p>
            <p className="soft small reason">
              Reason: <code>{told.reason}</code>
            </p>
          </div>
          <div className="choices">
            <button className="button main" onClick={onJoin} autoFocus>
              Join again
            </button>
            <button className="button" onClick={close}>
              Stay outside
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
