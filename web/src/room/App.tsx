import { useState } from "react";
import { JoinForm } from "./JoinForm";
import { Room } from "./Room";
import { firstVisit, forget, keep, type Visit } from "./visit";

/** The join form, or the room. */
export function App({ socketPath }: { socketPath: string | undefined }) {
  const [visit, setVisit] = useState(() => {
    const first = firstVisit();
    if (first) {
      keep(first);
    }
    return first;
  });
  const [last, setLast] = useState<Visit | null>(visit);
  const [refusal, setRefusal] = useState<Refusal | null>(null);

  const enter = (next: Visit) => {
    keep(next);
    setRefusal(null);
    setLast(next);
    setVisit(next);
  };
  const leave = (why: Refusal | null) => {
    forget();
    setRefusal(why);
    setVisit(null);
  };

  return visit ? (
    <Room visit={visit} socketPath={socketPath} onMove={(roomId) => enter({ ...visit, roomId })} onLeave={leave} />
  ) : (
    <JoinForm last={last} refusal={refusal} onEnter={enter} />
  );
}

/** Why the server refused a join. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}
