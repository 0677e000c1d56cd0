import type { RoomStatus } from "@hadir/client";

const TEXT: Record<RoomStatus, string> = {
  joining: "Joining",
  in: "You are in",
  reconnecting: "Reconnecting",
  out: "You are out",
};

interface Props {
  status: RoomStatus;
  graceLeft: number | null;
  graceSeconds: number;
}

/** Whether the user is in the room; while disconnected, also how long the others still see them. */
export function ConnectionStatus({ status, graceLeft, graceSeconds }: Props) {
  return (
    <div className={`state ${status}`} data-testid="state">
      <span className="lamp" aria-hidden="true" />
      <span role="status">{TEXT[status]}</span>
      {graceLeft !== null && (
        <span className="grace">
          {graceLeft > 0 ? `others see you for ${graceLeft} s` : "others saw you leave"}
          <progress aria-label="Time left until others see you leave" max={graceSeconds} value={graceLeft} />
        </span>
      )}
    </div>
  );
}
