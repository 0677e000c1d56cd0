// CPU and memory figures from /proc.
import { readFileSync, readdirSync } from "node:fs";

// USER_HZ is 100 on every Linux that Node and the JVM run on.
const TICKS_PER_SECOND = 100;

/** The CPU seconds, user and system, that a process with all its threads has used. */
export function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The same with nanosecond precision, for a process with a fixed set of threads. */
export function exactCpuSeconds(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanos = threads.map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ", 1)[0]));
  return nanos.reduce((sum, one) => sum + one, 0) / 1e9;
}

/** The name and the CPU seconds of each thread of a process, by the thread's id. Linux keeps 15 letters of a name. */
export function threadCpuSeconds(pid) {
  const read = (thread, file) => readFileSync(`/proc/${pid}/task/${thread}/${file}`, "latin1");
  return new Map(
    readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      try {
        return [[thread, { name: read(thread, "comm").trim(), seconds: Number(read(thread, "schedstat").split(" ", 1)[0]) / 1e9 }]];
      } catch {
        return []; // it has just ended
      }
    }),
  );
}

/** The CPU seconds that all processes together have used, including the kernel's and stolen time. */
export function machineBusySeconds() {
  const [user, nice, system, , , irq, softirq, steal] = readFileSync("/proc/stat", "latin1")
    .split("\n", 1)[0]
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

/** The resident memory of a process, in bytes. */
export function residentBytes(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"));
  return Number(kilobytes) * 1024;
}
