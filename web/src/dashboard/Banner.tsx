import type { Readiness, RedisState } from "./api";
import type { Polled } from "./usePoll";
import { exactClock } from "./format";

interface Props {
  readiness: Polled<Readiness>;
  redis: Polled<RedisState>;
  updatedAt: number | null;
}

/** Shows what is wrong, and disappears when it is over. */
export function Banner({ readiness, redis, updatedAt }: Props) {
  const asOf = updatedAt === null ? "" : ` The data below is from ${exactClock(updatedAt)}.`;
  if (readiness.failure) {
    return (
      <div className="notice bad banner" role="alert">
        <strong>{readiness.failure.message}</strong> This page retries every few seconds.{asOf}
      </div>
    );
  }
  if (readiness.value === null) {
    return null;
  }
  if (readiness.value.ready) {
    return readiness.value.but === null ? null : (
      <div className="notice banner" role="alert">
        <strong>A part of Redis is away.</strong> {readiness.value.but.replace(/\.?$/, ".")} Rooms and users elsewhere are not affected.
      </div>
    );
  }
  return (
    <div className="notice bad banner" role="alert">
      <strong>{redis.value?.connected === false ? "Redis is unreachable." : "The server is not ready."}</strong>{" "}
      {readiness.value.reason.replace(/\.?$/, ".")}
      {asOf} Nobody is removed because of this, and the page recovers by itself.
    </div>
  );
}
