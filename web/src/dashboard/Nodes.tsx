import { count } from "../components/format";
import type { ServerNode } from "./api";
import { Panel } from "./Panel";
import { STALE } from "./Status";
import { useNow } from "./useNow";
import type { Polled } from "./usePoll";
import { date, duration } from "./format";

/** The nodes that hold a lease, and how long it lasts. When a lease expires, the node's users are removed. */
export function Nodes({ nodes }: { nodes: Polled<readonly ServerNode[]> }) {
  const now = useNow();
  const since = nodes.at === null ? 0 : Math.max(0, now - nodes.at);
  const known = since <= STALE; // after that, the lease may have been renewed or not
  return (
    <Panel id="nodes" title="Nodes" polled={nodes}>
      <ul className="nodes">
        {nodes.value?.map(({ nodeId, startedAt, version, sockets, leaseMs }) => {
          const left = leaseMs === null || !known ? null : leaseMs - since;
          return (
            <li key={nodeId}>
              <p>
                <code className="node-id">{nodeId}</code>
                <span className={left !== null && left <= 0 ? "lease over" : "lease"}>
                  {left === null ? "lease unknown" : left <= 0 ? "lease expired" : `lease ${duration(left)} left`}
                </span>
              </p>
              <p className="soft small">
                {count(sockets, "socket", "sockets")} · version {version} · up{" "}
                <time dateTime={new Date(startedAt).toISOString()} title={`since ${date(startedAt)}`}>
                  {duration(now - startedAt)}
                </time>
              </p>
            </li>
          );
        })}
      </ul>
      {nodes.value?.length === 0 && <p className="soft">No node holds a lease.</p>}
    </Panel>
  );
}
