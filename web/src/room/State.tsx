import type { RoomStatus } from "@hadir/client";

const WORDS: Record<RoomStatus, string> = {
  joining: "Going in",
  in: "You are in",
  reconnecting: "Reconnecting",
  out: "You are out",
};

interface Props {
  status: RoomStatus;
  graceLeft: number | null;
  graceSeconds: number;
}

/** Whether this tab is in, and while it is not connected, for how long the others still see it. */
export function State({ status, graceLeft, graceSeconds }: Props) {
  return (
    <div className={`state ${status}`} data-testid="state">
      <span className="lamp" aria-hidden="true" />
      <span role="status">{WORDS[status]}</span>
      {graceLeft !== null && (
        <span className="grace">
          {graceLeft > 0 ? `others see you for ${graceLeft} s` : "others saw you go"}
          <progress aria-label="Time in which nobody sees that you are away" max={graceSeconds} value={graceLeft} />
        </span>
      )}
    </div>
  );
}
