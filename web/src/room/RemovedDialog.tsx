import type { ForceLeave, LeaveReason } from "@hadir/client";
import { Dialog } from "../components/Dialog";

const TITLE = "You are not in the chatroom";

const WHY: Partial<Record<LeaveReason, string>> = {
  presence_lost: "Your presence key is no longer in Redis.",
  inactivity_timeout: "This tab sent no heartbeat for too long.",
  kicked: "An operator or the app’s server kicked you.",
};

interface Props {
  forceLeave: ForceLeave;
  onJoin: () => void;
  onClose: () => void;
}

/** Shows the server's message after it removed the user, and offers to join again. */
export function RemovedDialog({ forceLeave, onJoin, onClose }: Props) {
  return (
    <Dialog className="removed" labelledBy="out-title" describedBy="out-why" onClose={onClose}>
      {(close) => (
        <>
          <span className="lamp" aria-hidden="true" />
          <h2 id="out-title">{TITLE}</h2>
          <div id="out-why">
            {forceLeave.message !== TITLE && (
              <p className="message" dir="auto">
                {forceLeave.message}
              </p>
            )}
            <p className="soft">{WHY[forceLeave.reason]}</p>
            <p className="soft small reason">
              Reason: <code>{forceLeave.reason}</code>
            </p>
          </div>
          <div className="choices">
            <button className="button main" onClick={onJoin} autoFocus>
              Join again
            </button>
            <button className="button" onClick={close}>
              Stay out
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
