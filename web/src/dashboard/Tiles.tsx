import { number } from "../components/format";
import type { ServerNode } from "./api";
import { STALE } from "./Status";
import { useNow } from "./useNow";
import type { Polled } from "./usePoll";

interface Props {
  stats: Polled<{ usersOnline: number; roomsOccupied: number }>;
  nodes: Polled<readonly ServerNode[]>;
}

/** The key figures. */
export function Tiles({ stats, nodes }: Props) {
  const now = useNow();
  const old = (at: number | null) => at !== null && now - at > STALE;
  const sockets = nodes.value?.reduce((sum, node) => sum + node.sockets, 0);
  const tiles = [
    { id: "users", label: "Users online", value: stats.value?.usersOnline, old: old(stats.at) },
    { id: "rooms", label: "Rooms occupied", value: stats.value?.roomsOccupied, old: old(stats.at) },
    { id: "sockets", label: "Sockets", value: sockets, old: old(nodes.at) },
    { id: "nodes", label: "Nodes", value: nodes.value?.length, old: old(nodes.at) },
  ];
  return (
    <dl className="tiles">
      {tiles.map(({ id, label, value, old }) => (
        <div key={id} className={old ? "card old" : "card"}>
          <dt className="soft small">{label}</dt>
          <dd data-testid={id}>{value === undefined ? "–" : number(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
