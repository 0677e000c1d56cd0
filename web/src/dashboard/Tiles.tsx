import { number } from "../components/format";
import type { ServerNode } from "./api";
import { STALE } from "./Status";
import { useNow } from "./useNow";
import type { Polled } from "./usePoll";

export interface Stats {
  readonly usersOnline: number;
  readonly roomsOccupied: number;
}

/** The number of sockets on all nodes; null if it is not known. */
export function socketsOf(nodes: readonly ServerNode[] | null): number | null {
  return nodes === null ? null : nodes.reduce((sum, node) => sum + node.sockets, 0);
}

interface Props {
  stats: Polled<Stats>;
  nodes: Polled<readonly ServerNode[]>;
}

/** The key figures. */
export function Tiles({ stats, nodes }: Props) {
  const now = useNow();
  const old = (at: number | null) => at !== null && now - at > STALE;
  const tiles = [
    { id: "users", label: "Users online", value: stats.value?.usersOnline, old: old(stats.at) },
    { id: "rooms", label: "Rooms occupied", value: stats.value?.roomsOccupied, old: old(stats.at) },
    { id: "sockets", label: "Sockets", value: socketsOf(nodes.value), old: old(nodes.at) },
    { id: "nodes", label: "Nodes", value: nodes.value?.length, old: old(nodes.at) },
  ];
  return (
    <dl className="tiles">
      {tiles.map(({ id, label, value, old }) => (
        <div key={id} className={old ? "card old" : "card"}>
          <dt className="soft small">{label}</dt>
          <dd data-testid={id}>{value == null ? "–" : number(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
