import { Actions } from "./Actions";
import type { Api, Readiness, RedisState, ServerNode } from "./api";
import { Audit } from "./Audit";
import { Changes } from "./Changes";
import { Charts } from "./Charts";
import { Nodes } from "./Nodes";
import { Redis } from "./Redis";
import { socketsOf, type Stats } from "./Tiles";
import type { Polled } from "./usePoll";

interface Props {
  api: Api;
  stats: Polled<Stats>;
  nodes: Polled<readonly ServerNode[]>;
  redis: Polled<RedisState>;
  readiness: Polled<Readiness>;
}

/** Everything that is not about one room or user. */
export function Overview({ api, stats, nodes, redis, readiness }: Props) {
  return (
    <>
      <Charts api={api} current={{ users: stats.value?.usersOnline ?? null, sockets: socketsOf(nodes.value) }} />
      <div className="pair">
        <Changes api={api} roomId={null} />
        <div className="stack">
          <Redis redis={redis} readiness={readiness} />
          <Nodes nodes={nodes} />
        </div>
      </div>
      <div className="pair">
        <Audit api={api} />
        <Actions api={api} />
      </div>
    </>
  );
}
