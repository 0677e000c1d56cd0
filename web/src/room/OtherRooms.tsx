import { type FormEvent, useState } from "react";
import { count } from "../components/format";
import { addressOf, ROOM_PATTERN } from "./visit";

interface Props {
  unread: ReadonlyMap<string, number>;
  here: string;
  onMove: (roomId: string) => void;
}

/** The rooms that this tab has been in, with their unread messages. Switching to one leaves the current room. */
export function OtherRooms({ unread, here, onMove }: Props) {
  const [roomId, setRoomId] = useState("");
  const rooms = [...unread].filter(([room]) => room !== here);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (roomId !== "") {
      setRoomId("");
      onMove(roomId);
    }
  };

  return (
    <>
      {rooms.length > 0 && (
        <ul className="rooms">
          {rooms.map(([room, waiting]) => (
            <li key={room}>
              <a
                href={addressOf(room)}
                onClick={(event) => {
                  if (!event.metaKey && !event.ctrlKey && !event.shiftKey) {
                    event.preventDefault();
                    onMove(room);
                  }
                }}
              >
                <span>{room}</span>
                {waiting > 0 && (
                  <span className="badge">
                    <span aria-hidden="true">{waiting > 99 ? "99+" : waiting}</span>
                    <span className="hidden-text">{count(waiting, "unread message", "unread messages")}</span>
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
      )}
      <form className="inline" onSubmit={submit}>
        <label className="hidden-text" htmlFor="other-room">
          Another room
        </label>
        <input
          id="other-room"
          value={roomId}
          onChange={(event) => setRoomId(event.target.value)}
          placeholder="Another room"
          pattern={ROOM_PATTERN}
          maxLength={128}
          title="Letters, numbers, symbols, and single spaces between them"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
        />
        <button className="button">Switch room</button>
      </form>
    </>
  );
}
