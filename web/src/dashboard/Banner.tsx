import type { Readiness, RedisState } from "./api";
import type { Polled } from "./usePoll";
import { exactClock } from "./words";

interface Props {
  readiness: Polled<Readiness>;
  redis: Polled<RedisState>;
  updatedAt: number | null;
}

/** Says what is the matter while something is, and goes by itself. */
export function Banner({ readiness, redis, updatedAt }: Props) {
  const asOf = updatedAt === null ? "" : ` What you see below is as of ${exactClock(updatedAt)}.`;
  if (readiness.failure) {
    return (
      <div className="notice bad banner" role="alert">
        <strong>{readiness.failure.unreachable ? "The server cannot be reached." : readiness.failure.message}</strong> It is asked
        again every few seconds.{asOf}
      </div>
    );
  }
  if (readiness.value === null || readiness.value.ready) {
    return null;
  }
  return (
    <div className="notice bad banner" role="alert">
      <strong>{redis.value?.connected === false ? "Redis is away." : "The server is not ready."}</strong>{" "}
      {readiness.value.words.replace(/\.?$/, ".")}
      {asOf} Nobody is put out for it, and this page goes on as soon as it can.
    </div>
  );
}
