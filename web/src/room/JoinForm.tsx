import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { Wordmark } from "../components/Wordmark";
import type { Refusal } from "./App";
import { ROOM_PATTERN, readAddress, type Visit } from "./visit";

interface Props {
  last: Visit | null;
  refusal: Refusal | null;
  onEnter: (visit: Visit) => void;
}

/** Asks for a name and a room; also for a token, if the server requires one. */
export function JoinForm({ last, refusal, onEnter }: Props) {
  const id = useId();
  const address = readAddress();
  const [name, setName] = useState(last?.name ?? address.name);
  const [roomId, setRoomId] = useState(last?.roomId ?? (address.roomId || "lobby"));
  const [token, setToken] = useState("");
  const needsToken = refusal?.code === "unauthenticated" || (last?.token ?? "") !== "";
  const first = useRef<HTMLInputElement>(null);

  useEffect(() => {
    document.title = "Hadir: who is in the room right now";
    first.current?.focus();
  }, [needsToken]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    onEnter({ name: name.trim(), roomId: roomId.trim(), token: needsToken ? token.trim() : "" });
  };

  return (
    <div className="entrance">
      <header>
        <Wordmark href="/" />
      </header>
      <main className="card">
        <h1>Who is in the room right now?</h1>
        <p className="soft">Join, open a second tab as another user, and try to leave a ghost behind.</p>
        {refusal && (
          <p className="notice bad" role="alert">
            {refusal.code === "unauthenticated"
              ? "This server requires a token: a JWT signed by your app, with the user’s id in sub. Paste one below."
              : `You could not join: ${refusal.message}`}
          </p>
        )}
        <form onSubmit={submit}>
          {needsToken && (
            <div className="field">
              <label htmlFor={`${id}-token`}>Token</label>
              <input
                id={`${id}-token`}
                ref={first}
                value={token}
                onChange={(event) => setToken(event.target.value)}
                required
                spellCheck={false}
                autoComplete="off"
                aria-describedby={`${id}-token-note`}
              />
              <small id={`${id}-token-note`}>This tab forgets it when you close it.</small>
            </div>
          )}
          <div className="field">
            <label htmlFor={`${id}-name`}>Your name</label>
            <input
              id={`${id}-name`}
              ref={needsToken ? undefined : first}
              value={name}
              onChange={(event) => setName(event.target.value)}
              required
              pattern=".*\S.*"
              maxLength={64}
              autoComplete="nickname"
            />
          </div>
          <div className="field">
            <label htmlFor={`${id}-room`}>Room</label>
            <input
              id={`${id}-room`}
              value={roomId}
              onChange={(event) => setRoomId(event.target.value)}
              required
              pattern={ROOM_PATTERN}
              maxLength={128}
              title="Letters, numbers, symbols, and single spaces between them"
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              aria-describedby={`${id}-room-note`}
            />
            <small id={`${id}-room-note`}>Any name: a room exists as soon as someone is in it.</small>
          </div>
          <button className="button main">Join</button>
        </form>
      </main>
    </div>
  );
}
